from evenhand.display import Summary


def test_sections_are_printed_and_written_as_one_page(run, tmp_path, monkeypatch):
    sections = [Summary(title="Examples", notes=("As printed.",)), Summary(title="Tables")]
    monkeypatch.setattr(
        "evenhand.reproduction.reproduce", lambda dutch: [] if dutch else sections
    )
    page = tmp_path / "page.md"
    status, out, _ = run("paper", "--markdown", page)
    assert status == 0
    assert out.startswith("Examples\n")
    assert "Tables" in out
    assert "As printed." in page.read_text()


def test_a_folder_without_the_census_is_refused(run, tmp_path):
    status, _, err = run("paper", "--data", tmp_path)
    assert status == 2
    assert str(tmp_path) in err
