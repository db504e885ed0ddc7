from setwise.cli import main


def test_the_tour_runs(capsys):
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    for expected in ("ConditionalTree", "the true set", "before and after", "What to try next"):
        assert expected in shown
