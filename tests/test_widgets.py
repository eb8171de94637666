"""The teaching demos without a browser: what a view shows is what its code line computes."""

import html
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import gindex_lab as gl
from gindex_lab.presentation.widgets import exercises, serve
from gindex_lab.presentation.widgets.adaptive_test import adaptive_demo, adaptive_view
from gindex_lab.presentation.widgets.anytime_live import TESTED, anytime_demo, anytime_view
from gindex_lab.presentation.widgets.calculator import (
    calculator_demo,
    calculator_view,
    sensitivities,
    system,
)
from gindex_lab.presentation.widgets.curve import SHAPES, curve_demo, curve_view, plot_responses, shape
from gindex_lab.presentation.widgets.guttman import guttman_demo, guttman_responses, guttman_view
from gindex_lab.presentation.widgets.horizon import horizon_demo, horizon_view
from gindex_lab.presentation.widgets.individuals import (
    general_factor_share,
    individuals_demo,
    individuals_view,
    population_responses,
)
from gindex_lab.presentation.widgets.lambda_worlds import WorldSession, worlds
from gindex_lab.presentation.widgets.live import (
    Demo,
    View,
    blank_figure,
    equation_html,
    numbers_html,
)
from gindex_lab.presentation.widgets.live import text_of as written
from gindex_lab.presentation.widgets.manual import Manual, manual_demo, manual_view, play, plot_rewards
from gindex_lab.presentation.widgets.stepper import PROGRAMS, actions_of, stepper_demo, stepper_view
from gindex_lab.presentation.widgets.take_test import (
    KINDS,
    Sitting,
    sitting,
    sitting_demo,
    sitting_view,
)
from gindex_lab.presentation.widgets.two_programs import (
    EXAMPLES,
    programs_demo,
    programs_view,
    written_flow,
)
from gindex_lab.press.reproduction import start
from gindex_lab.press.reproduction.inputs import read_catalogue

ROOT = Path(__file__).resolve().parent.parent
SHARE = ROOT / "gindex_lab" / "presentation" / "widgets" / "share" / "voila" / "templates" / "gindex_lab"
TEACHING = sorted((ROOT / "notebooks" / "teaching").glob("*.ipynb"))


def computed(code):
    """What the code line of a view gives: its last expression, after what it defines."""
    *before, last = code.split("\ngl.") if "\ngl." in code else ("", code)
    scope = {"gl": gl, "pd": pd}
    exec("\ngl.".join(before), scope)
    return eval(last if code.startswith("gl.") and not before[0] else f"gl.{last}", scope)


# -- what is shown is what the code computes --------------------------------------------------------------


def test_the_code_of_a_horizon_gives_its_numbers():
    view = horizon_view(7.0, 0.6)
    found = computed(view.code)
    assert view.numbers["capability Ψ (doublings of a minute)"] == pytest.approx(found["capability"])
    assert view.numbers["spread S"] == pytest.approx(found["spread_logistic"])
    assert view.numbers["50% horizon"] == "2.13 h"
    assert "extrapolated" in horizon_view(11.5, 2.0).note


def test_the_code_of_a_curve_gives_its_numbers():
    view = curve_view([1, 0.9, 0.4, 0.4, 0.1, 0])
    row = computed(view.code).iloc[0]
    assert row["capability"] == view.numbers["capability Ψ"]
    assert row["normalised_generality"] == view.numbers["normalised generality γ"]


def test_the_code_of_the_ladder_gives_its_numbers():
    view = guttman_view(0.35, topics=3, seed=2)
    table = computed(view.code)
    assert table["normalised_generality"].mean() == pytest.approx(view.numbers["mean γ"])
    assert int(table["abstruse"].sum()) == view.numbers["abstruse agents"]


def test_the_code_of_a_population_gives_its_numbers():
    view = individuals_view(0.6, 0.2, seed=3)
    table, share = computed(view.code)
    assert table["normalised_generality"].mean() == pytest.approx(view.numbers["mean γ"])
    assert round(100 * share, 1) == view.numbers["variance of one factor (%)"]


@pytest.mark.parametrize("mode", ["exact", "reference"])
def test_the_code_of_two_programs_gives_their_divergence(mode):
    view = programs_view(*EXAMPLES, mode)
    assert float(computed(view.code)) == view.numbers["divergence Δ"]


@pytest.mark.parametrize("mode", ["exact", "reference"])
def test_the_code_of_the_calculator_gives_its_g_index(mode):
    view = calculator_view(0.65, domains=3, samples=80, compute=250, mode=mode)
    assert computed(view.code).value == view.numbers["g-index"]


def test_the_code_of_the_stepper_gives_the_step_shown():
    view = stepper_view(",[>++<[+]]>.#", "424", step=14)
    row = computed(view.code)
    assert row["cell"] == view.numbers["cell under the head"]
    assert view.numbers["instruction"].startswith(f"‘{row['instruction']}’")


def test_the_code_of_a_game_gives_its_mean_reward():
    for program in (PROGRAMS[1], ",.%#"):
        view = manual_view(program, "40s3r000", seed=5)
        assert computed(view.code)["reward"].mean() == view.numbers["mean reward V"]


def test_the_code_of_the_anytime_test_gives_its_estimate():
    view = anytime_view("q-learning", "random", seconds=0.5, seed=4)
    assert computed(view.code).value == view.numbers["estimate of q-learning"]


def test_the_code_of_a_sitting_gives_its_numbers():
    view = sitting_view("Λ worlds", ["0", "1", "2"] * 12, seed=2)
    assert computed(view.code).iloc[0]["capability"] == view.numbers["capability Ψ"]


# -- what the demos teach is so ---------------------------------------------------------------------------


def test_all_shapes_have_the_same_mean_and_the_step_is_the_most_general():
    gamma = {name: curve_view(shape(name)).numbers["normalised generality γ"] for name in SHAPES}
    assert all(shape(name).mean() == pytest.approx(0.5) for name in SHAPES)
    assert max(gamma, key=gamma.get) == "step"
    assert gamma["upside down"] < 0 < gamma["slope"]


@given(st.integers(1, 50), st.integers(1, 8))
def test_specialists_solve_as_many_items_as_the_ladder(seed, topics):
    ladder, room = (guttman_responses(s, topics=topics, seed=seed).frame for s in (0, 1))
    assert (ladder.sum(axis=1) == room.sum(axis=1)).all()
    assert (np.diff(ladder.to_numpy(), axis=1) <= 0).all()


def test_a_factor_needs_variation_and_generality_needs_steepness():
    equal, varied = (individuals_view(1, v).numbers for v in (0, 0.3))
    flat = individuals_view(0, 0.3).numbers
    assert equal["variance of one factor (%)"] == 0
    assert varied["variance of one factor (%)"] > 80 > 50 < flat["variance of one factor (%)"]
    assert equal["mean γ"] > 0.99
    assert flat["mean γ"] < 0.2


def test_without_variation_coin_tossers_have_next_to_no_factor():
    shares = [general_factor_share(population_responses(0, 0, seed=s), seed=s) for s in range(5)]
    assert max(shares) < 0.2


def test_an_edited_program_changes_the_divergence():
    one, two = EXAMPLES
    assert programs_view(one, one).numbers["divergence Δ"] == 0
    nearer = programs_view(one, two.replace("repeat=10", "repeat=60")).numbers["divergence Δ"]
    assert 0 < nearer < programs_view(one, two).numbers["divergence Δ"]


def test_programs_without_a_common_type_are_as_far_apart_as_can_be():
    view = programs_view("a: inject", "b: debug")
    assert view.numbers["divergence Δ"] == 1
    assert "Nothing corresponds" in view.note


def test_a_written_flow_keeps_numbers_truth_and_words():
    flow = written_flow("a: http request, n=3, rate=0.5, on=true, url=b\n\nb: debug\na -> b -> a")
    assert flow.attributes[0] == {"n": 3, "rate": 0.5, "on": True, "url": "b"}
    assert flow.types[0] == "http request"
    assert set(flow.wires) == {(0, 1), (1, 0)}


def test_sensitivities_leave_out_what_cannot_change():
    changes = sensitivities(performance=1.0, own=0.98, domains=2)
    assert "θ + 0.05" not in changes
    assert "Ω own + 0.05" not in changes
    assert changes["samples × 2"] < 0


def test_manual_hands_over_to_chance_for_good():
    game = play(",.#", "4sr44", seed=1)
    assert game["action"].tolist()[:2] == [4, 4]
    again = play(",.#", "4sr01", seed=1)
    assert game["action"].tolist() == again["action"].tolist()
    other = [play(",.#", "r" * 40, seed=s)["action"].tolist() for s in (1, 2)]
    assert other[0] != other[1]


def test_a_manual_agent_is_an_agent_of_the_test():
    agent = gl.aiq.agent(lambda: Manual("3s0")).fresh(seed=1)
    assert [agent.perceive([2], 0.0) for _ in range(3)] == [3, 3, 0]


def test_a_game_that_has_not_begun_says_so():
    assert manual_view(",.#", "").numbers["last action"] == "none yet"


def test_the_stepper_stops_at_the_end_of_the_episode():
    assert stepper_view(",+.#", "3", step=99).numbers["step"] == "4 of 4"


# -- taking a test ----------------------------------------------------------------------------------------


def answers(kind, seed=1):
    """Presses that finish a test: always the first button, and `done` where there is one."""
    at, pressed = Sitting(kind, seed), []
    while at.options:
        pressed.append("done" if "done" in at.options else at.options[0])
        at.press(pressed[-1])
    return pressed


@pytest.mark.parametrize("kind", KINDS)
def test_a_finished_test_gives_responses_with_difficulties_and_a_curve(kind):
    pressed = answers(kind)
    responses = sitting(kind, pressed).responses()
    view = sitting_view(kind, pressed)
    assert responses.shape == (1, len(sitting(kind).session))
    assert responses.difficulty.nunique() > 1
    assert view.tables["options"] == []
    assert "Done." in view.note
    assert view.numbers["mean response"] == responses.frame.to_numpy().mean()


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_presses_give_the_same_sitting(kind):
    pressed = answers(kind)[:4]
    one, two = (sitting_view(kind, pressed, seed=1) for _ in range(2))
    assert one.png() == two.png()
    assert one.numbers == two.numbers


def test_right_letters_are_counted_as_solved():
    at = Sitting("letter series")
    while at.options:
        at.press(at.session.item.answer)
    assert (at.responses().frame == 1).all(axis=None)


def test_a_path_can_be_taken_back():
    at = Sitting("mazes")
    start = list(at.session.path)
    at.press("left")
    assert len(at.session.path) == 2
    at.press("back")
    assert list(at.session.path) == start
    assert "back" not in at.options


def test_the_best_in_a_world_is_a_response_of_one_and_skipping_none():
    session = WorldSession(worlds((3, 4)), steps=1, seed=1)
    session.skip()
    session.skip()
    assert session.finished
    assert session.item is None
    assert session.responses().frame.to_numpy().tolist() == [[0.0, 0.0]]


# -- bad input, by message --------------------------------------------------------------------------------

BAD = {
    "one height": (lambda: curve_view([0.5]), "heights: too-few"),
    "height above one": (lambda: curve_view([0.5, 1.5]), "heights[1]: out-of-range"),
    "height not a number": (lambda: curve_view(["high", 1]), "heights: not-a-number"),
    "unknown shape": (lambda: shape("bell"), "name: not-an-option"),
    "too special": (lambda: guttman_view(1.2), "specialists: out-of-range"),
    "no topics": (lambda: guttman_view(0.5, topics=0), "topics: out-of-range"),
    "steepness": (lambda: individuals_view(-0.1, 0.2), "steepness: out-of-range"),
    "variation": (lambda: individuals_view(0.5, 2), "variation: out-of-range"),
    "empty program": (lambda: programs_view("", "a: x"), "program: no-node"),
    "not a program": (lambda: written_flow(None), "program: not-text"),
    "no node": (lambda: written_flow("hello"), "line 1: not-a-node"),
    "loose wire": (lambda: written_flow("a: x\na -> b"), "line 2: not-a-node"),
    "half a wire": (lambda: written_flow("a: x\na ->"), "line 2: not-a-node"),
    "node twice": (lambda: written_flow("a: x\na: y"), "line 2: duplicate"),
    "no attribute": (lambda: written_flow("a: x, fast"), "line 1: not-an-attribute"),
    "taken name": (lambda: written_flow("a: x, type=y"), "line 1: reserved-word"),
    "mode": (lambda: calculator_view(0.5, mode="best"), "mode: not-an-option"),
    "performance": (lambda: system(1.4), "performance: out-of-range"),
    "no samples": (lambda: system(0.5, samples=0), "samples: out-of-range"),
    "no compute": (lambda: system(0.5, compute=0), "compute: out-of-range"),
    "tiny compute": (lambda: calculator_view(0.5, compute=1e-6), "compute: experience-not-positive"),
    "too far": (lambda: system(0.5, other=1.1), "other: out-of-range"),
    "no actions": (lambda: actions_of(" , "), "actions: empty"),
    "no such action": (lambda: stepper_view(",.#", "7"), "actions: not-an-action"),
    "no such symbol": (lambda: stepper_view(",x#", "1"), "program: foreign-character"),
    "step zero": (lambda: stepper_view(",.#", "1", step=0), "step: out-of-range"),
    "s first": (lambda: play(",.#", "s"), "keys: nothing-to-repeat"),
    "no such key": (lambda: play(",.#", "7"), "keys: not-a-key"),
    "a digit of another kind": (lambda: play(",.#", "²"), "keys: not-a-key"),
    "keys used up": (lambda: Manual("").perceive([2], 0), "keys: no-keys"),
    "no such agent": (lambda: anytime_view("genius"), "agent: not-an-option"),
    "against itself": (lambda: anytime_view("random", "random"), "rival: same-agent"),
    "no time": (lambda: anytime_view("oracle", "random", 0), "seconds: out-of-range"),
    "no such test": (lambda: sitting("chess"), "kind: not-an-option"),
    "no such button": (lambda: sitting("Λ worlds", "5"), "press: not-now"),
    "after the end": (lambda: sitting("Λ worlds", "skip," * 6), "press: not-now"),
    "no worlds": (lambda: WorldSession([]), "environments: empty"),
    "nothing walked": (lambda: WorldSession(worlds((3,))).responses(), "session: unfinished"),
    "no such exercise": (lambda: exercises.check("curve"), "name: not-an-option"),
    "no table to draw": (lambda: plot_responses([[1, 0]]), "frame: not-a-table"),
    "no rewards to draw": (lambda: plot_rewards(pd.DataFrame({"action": [1]})), "table: no-column"),
    "no such server": (lambda: serve.main(["labs"]), "server: not-an-option"),
    "no server": (lambda: serve.main([]), "server: not-an-option"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_with_a_remedy(name):
    call, message = BAD[name]
    with refused(message):
        call()


def test_a_server_is_not_started_outside_the_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refused("folder: empty"):
        serve.main(["demo"])


# -- live -------------------------------------------------------------------------------------------------

FRONT = {  # drawn in the browser: tests/test_web_demos.py, tests/test_browser.py
    "curve": (curve_demo, {"h1": 0.2}),
    "horizon": (horizon_demo, {"beta": 1.5}),
    "guttman": (guttman_demo, {"specialists": 0.8}),
    "individuals": (individuals_demo, {"steepness": 0.3}),
    "calculator": (calculator_demo, {"performance": 0.9}),
}
LIVE = {
    "programs": (programs_demo, {"second": "a: inject\nb: debug"}),
    "stepper": (stepper_demo, {"step": 5}),
    "manual": (manual_demo, {"keys": "44"}),
    "anytime": (anytime_demo, {"seconds": 0.1}),
    "sitting": (sitting_demo, {"presses": "skip"}),
    "adaptive": (adaptive_demo, {"presses": "skip"}),
}  # fmt: skip


@pytest.mark.parametrize("name", LIVE)
def test_moving_a_control_changes_figure_numbers_and_code(name):
    make, moved = LIVE[name]
    demo = make()
    shown = [demo.picture, demo.numbers, demo.code]
    before = [widget.value for widget in shown]
    demo.set(**moved)
    assert demo.problem.value == ""
    assert all(a != w.value for a, w in zip(before, shown, strict=True))
    markup = equation_html(demo.equations)  # MathML: nothing is fetched to show it
    assert markup.count("<math") == len(demo.equations)
    assert 'class="formula"' not in markup, "latex2mathml could not read it"


@pytest.mark.parametrize("name", FRONT)
def test_moving_a_control_from_python_or_in_the_browser_changes_the_view(name):
    make, moved = FRONT[name]
    demo = make()
    before, start = demo.view, demo.values()
    demo.set(**moved)
    assert demo.view.numbers != before.numbers
    assert demo.view.code != before.code
    assert demo.view.png() != before.png()
    assert demo.widget.values == demo.values() == start | moved
    demo.widget.values = start  # as the browser sends it
    assert demo.view.numbers == before.numbers
    demo.set(**moved)
    assert demo.widget.values == start | moved
    spec = demo.widget.spec
    assert [c["name"] for c in spec["controls"]] == list(start)
    assert sum(markup.count("<math") for markup in spec["equations"]) == len(demo.equations)
    assert not any('class="formula"' in markup for markup in spec["equations"]), "not readable"


def test_a_value_that_cannot_be_drawn_moves_nothing():
    demo = guttman_demo()
    with refused("specialists: out-of-range"):
        demo.set(specialists=7)
    assert demo.values()["specialists"] == 0


def test_the_letters_of_a_sitting_are_its_buttons():
    demo = sitting_demo()
    demo.set(kind="letter series")
    shown = [b.description for b in demo.buttons if b.layout.display != "none"]
    assert shown == [*Sitting("letter series").session.item.options, "skip"]
    demo.buttons[0].click()
    assert demo.view.numbers["items done"].startswith("1 of")


def test_a_mistake_is_told_and_the_last_picture_stays():
    demo = programs_demo()
    picture = demo.picture.value
    demo.set(first="what?")
    assert "is neither a node nor a wire" in demo.problem.value
    assert demo.picture.value == picture
    demo.set(first=EXAMPLES[0])
    assert demo.problem.value == ""


def test_a_key_that_cannot_be_played_is_told_and_forgotten():
    demo = manual_demo()
    demo.press("s")
    assert "press a digit first" in demo.problem.value
    demo.press("3")
    assert demo.problem.value == ""
    assert demo.controls["keys"].value == "3"


def test_shape_buttons_set_all_sliders():
    demo = curve_demo()
    assert list(demo.presets) == list(SHAPES)
    assert list(demo.presets["step"].values()) == shape("step").tolist()
    assert all(list(preset) == list(demo.controls) for preset in demo.presets.values())


def test_an_unknown_control_is_refused():
    with refused("control: not-a-control"):
        guttman_demo().set(speed=1)


def test_in_a_pipeline_run_a_demo_is_a_still_that_is_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_OUTPUT", str(tmp_path))
    guttman_demo().show()
    assert (tmp_path / "figures" / "guttman.png").stat().st_size > 5000
    assert (tmp_path / "figures" / "guttman.svg").exists()


def test_no_demo_leaves_a_figure_open():
    import matplotlib.pyplot as plt

    plt.close("all")
    curve_view(shape("step")), calculator_view(0.5), stepper_view(",.#", "1")
    assert plt.get_fignums() == []


def test_whatever_is_shown_is_escaped():
    assert "<script>" not in numbers_html({"<script>": "<script>"})
    view = View(blank_figure(2, 1), {}, "<script>alert(1)</script>", "<script>")
    demo = Demo(lambda: view, {}, name="bad")
    assert "<script>" not in demo.code.value + demo.note.value


def text_of(path):
    return "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])


# -- the start page and the servers -----------------------------------------------------------------------


def test_the_start_page_is_that_of_the_catalogue():
    page = start.start_page(read_catalogue(ROOT), ROOT / "notebooks")
    stored = json.loads((ROOT / "notebooks" / "start.ipynb").read_text())
    assert stored == page, "run: .venv/bin/python -m gindex_lab.press.reproduction.start"


def test_every_link_of_the_start_page_and_of_the_course_leads_somewhere():
    pages = {
        ROOT / "notebooks" / "start.ipynb": text_of,
        ROOT / "notebooks" / "teaching" / "README.md": Path.read_text,
    }
    for page, read in pages.items():
        for link in re.findall(r"\]\(([^)]+)\)", read(page)):
            made = link.startswith("../reports/")  # by `make reproduce`
            assert made or (page.parent / link).exists(), f"{page.name}: {link}"


def test_both_servers_stay_on_this_machine_and_keep_their_token():
    lab, demo = serve.lab_command(ROOT), serve.demo_command(ROOT)
    assert "--ServerApp.ip=127.0.0.1" in lab
    assert not any("token=" in part.lower() or "password" in part.lower() for part in lab)
    assert any(part.endswith(".AlwaysToken") for part in lab)
    assert any(part.endswith(".AlwaysToken") for part in demo)
    assert {"--Voila.ip=127.0.0.1", "--token"} <= set(demo)


def test_the_pages_of_voila_fetch_nothing():
    templates = list(SHARE.iterdir())
    assert len(templates) == 6
    assert not any("://" in path.read_text() for path in templates)


def test_the_list_of_demos_asks_the_questions_of_the_catalogue():
    listed = re.findall(r'^  "(\w+)": "(.+)",?$', (SHARE / "tree.html").read_text(), re.M)
    taught = [(Path(e.path).name, e.title) for e in read_catalogue(ROOT) if e.paper == "teaching"]
    assert listed == taught


def test_the_agents_of_the_demo_exist():
    for name in TESTED:
        assert type(gl.anytime.agent(name)).__name__.lower() == name.replace("-", "")


def test_what_the_sessions_propose_to_try_can_be_run():
    """Sessions 2 and 6 end with calls to make; constant items and lost difficulties must not stop them."""
    population = gl.widgets.population_responses(1, 0.2)
    found = gl.factors(population, constant="drop").parallel_analysis(seed=1)
    assert found.n_factors > 1  # one ability, but items of different difficulty
    presses = {"me": ["0"] * 60, "friend": ["0", "1", "2"] * 20}
    mine, theirs = (
        gl.widgets.sitting("Λ worlds", ",".join(keys), seed=1).responses(name)
        for name, keys in presses.items()
    )
    both = pd.concat([mine.frame, theirs.frame])
    apart = gl.paired_differences(both, "me", "friend", difficulty=mine.difficulty, seed=1)
    assert apart["p_value"].between(0, 1).all()


def test_the_band_of_somebody_who_only_guesses_stays_inside_the_figure():
    view = adaptive_view("skip,skip,skip,skip")
    bottom = view.figure.axes[1].get_ylim()[0]
    assert bottom <= view.numbers["low"]
    assert bottom <= view.numbers["capability"]


@pytest.mark.parametrize("name", ["programs", "stepper", "manual", "anytime", "sitting", "adaptive"])
def test_the_picture_of_a_demo_is_told_in_words(name):
    demo = getattr(gl.widgets, f"{name}_demo")()
    assert demo.view.shows.endswith(".")
    assert f'alt="{html.escape(demo.view.alt)}"' in demo.picture.value
    for key, value in demo.view.numbers.items():
        assert f"{key} {written(value)}" in demo.view.alt


def test_no_name_of_a_curve_lies_on_an_agent():
    """Generalists all lie on the curve γ = 1: its name gives way."""
    from gindex_lab.presentation.plots.labels import boxes_of, overlaps

    view = individuals_view(1, 0.2)
    plane = view.figure.axes[1]
    points = view.tables["indicators"][["capability", "spread"]].to_numpy(float)
    at = plane.transData.transform(points)
    names = [text for text in plane.texts if "γ" in text.get_text()]
    assert len(names) == 6
    assert not overlaps(boxes_of(names), np.hstack([at - 3, at + 3])).any()


def test_before_the_first_answer_the_adaptive_test_shows_no_empty_axis():
    _, right = adaptive_view().figure.axes
    assert [text.get_text() for text in right.texts] == [
        "Before the first answer your\ncapability may lie anywhere"
    ]
    assert not len(right.get_xticks())
    assert len(adaptive_view("skip").figure.axes[1].get_xticks())


def test_formulas_name_capability_as_the_text_does():
    for demo in (sitting_demo(), curve_demo()):
        assert all("A" not in equation for equation in demo.equations)


def test_the_time_in_the_code_is_the_time_of_the_slider():
    demo = anytime_demo()
    assert "seconds=2," in demo.view.code
