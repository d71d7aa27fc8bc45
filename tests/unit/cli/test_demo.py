def test_the_demo_tells_its_story(run, tmp_path):
    status, out, _ = run("demo", "--output", tmp_path)
    assert status == 0
    assert "48,842 rows" in out
