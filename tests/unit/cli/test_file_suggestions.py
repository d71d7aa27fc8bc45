import pytest


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("audit dta.csv --question q.toml", "data.csv"),
        ("audit data.cvs --question q.toml", "data.csv"),
        ("audit data --question q.toml", "data.csv"),
        ("audit data.csv --question qq.toml", "q.toml"),
        ("audit data.csv --question q.toml --graph grph.txt", "graph.txt"),
        ("audit papres/data.csv --question q.toml", "papers/data.csv"),
        ("init dta.csv", "data.csv"),
        ("verify recrod.json", "record.json"),
        ("verify record.json dta.csv", "data.csv"),
    ],
)
def test_a_misspelt_file_is_answered_with_the_nearest(
    run,
    example,
    monkeypatch,
    command,
    meant,
):
    monkeypatch.chdir(example)
    run("audit", "data.csv", "--question", "q.toml", "--certificate", "record.json")
    (example / "papers").mkdir()
    (example / "papers" / "data.csv").write_text((example / "data.csv").read_text())
    status, _, err = run(*command.split())
    assert status == 2
    assert f"Did you mean '{meant}'?" in err


@pytest.mark.parametrize(
    "command",
    [
        "audit e.csv --question q.toml",  # d.csv is like it by its ending alone
        "audit d.csv --question d.toml",  # d.csv is named already
        "audit zzz/d.csv --question q.toml",
    ],
)
def test_a_file_that_is_only_of_the_same_kind_is_not_proposed(
    run,
    tmp_path,
    monkeypatch,
    command,
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("sex,hired\nf,no\nm,yes\n")
    (tmp_path / "q.toml").write_text(
        '[question]\nprotected = "sex"\ngroup = "f"\ndecision = "hired"\nfavorable = "yes"\n'
    )
    status, _, err = run(*command.split())
    assert status == 2
    assert "Did you mean" not in err
