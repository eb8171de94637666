"""Every exercise in Chromium, off line: wrong, then right, by keyboard alone, at three widths, and what axe finds."""

import json

import pytest
from web_pages import browser, complaints, needs_chromium, watched

from gindex_lab.presentation.widgets.exercises_course import EXERCISES
from gindex_lab.presentation.widgets.exercises_page import exercises_page

pytestmark = [*needs_chromium, pytest.mark.slow]
WIDTHS = (390, 768, 1280)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "exercises.html"
    path.write_text(exercises_page(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


def answers(task):
    """A wrong and the right answer, as somebody types them."""
    truth = task.answer()
    if isinstance(truth, dict):
        return ",.#", truth["example"]
    if task.words:
        return next(word for word in task.words if word != truth), truth
    return "12345", f"{truth:.4g}"


def tab_to(page, css, most=400):
    """Press Tab until the focus is on an element."""
    for _ in range(most):
        if page.evaluate("css => document.activeElement.matches(css)", css):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {css}")


def give(page, name, answer):
    """Type or choose an answer by keyboard, and press Enter."""
    task, box = EXERCISES[name], f'[data-exercise="{name}"]'
    if not task.words:
        tab_to(page, f"{box} .gx-field")
        page.keyboard.press("Control+A")
        page.keyboard.type(answer)
        page.keyboard.press("Enter")
        return
    tab_to(page, f'{box} input[type="radio"]')
    for _ in task.words:
        if page.evaluate("() => document.activeElement.value") == answer:
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")


@pytest.mark.parametrize("width", WIDTHS)
def test_every_exercise_by_keyboard_wrong_then_right_and_kept(address, chromium, width):
    with watched(chromium, width=width) as page:
        page.goto(address)
        for name, task in EXERCISES.items():
            wrong, right = answers(task)
            said = page.locator(f'[data-exercise="{name}"] [role="status"]')
            assert said.inner_text() == ""
            shown = page.locator(f'[data-exercise="{name}"]').inner_text()
            assert "Show the solution" not in shown
            assert task.explained()[-30:] not in shown
            give(page, name, wrong)
            if task.predict:
                assert "Your prediction is kept" in said.inner_text()
                page.keyboard.press("Enter")
            assert said.inner_text().startswith("Not yet")
            give(page, name, right)
            assert said.inner_text().startswith("Right.")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        done = f"{len(EXERCISES)}"
        counts = page.locator(".gx-progress").all_inner_texts()
        assert sum(int(text.split()[0]) for text in counts) == int(done)
        assert complaints(page) == []
        page.reload()
        assert page.locator(".gx-state-right").count() == len(EXERCISES)


@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_on_the_fresh_page_and_with_everything_open(address, chromium, width):
    with watched(chromium, width=width) as page:
        page.goto(address)
        assert complaints(page) == []
        page.evaluate("() => document.querySelectorAll('.gx-check + button').forEach((one) => one.click())")
        assert page.locator(".gx-hints li").count() == len(EXERCISES)
        assert complaints(page) == []


def test_hints_come_one_by_one_and_the_solution_only_after_a_guess(address, chromium):
    with watched(chromium) as page:
        page.goto(address)
        box = page.locator('[data-exercise="g-growth"]')
        give(page, "g-growth", "")
        assert "No answer yet" in box.inner_text()
        assert not box.get_by_role("button", name="Show the solution").is_visible()
        for number in (1, 2, 3):
            give(page, "g-growth", "7")
            assert box.locator(".gx-hints li").count() == number
        give(page, "g-growth", "3.32")
        assert "you left out the square root" in box.inner_text()
        box.get_by_role("button", name="Show the solution").press("Enter")
        assert "Solution." in box.inner_text()
        assert "exp(0.6) = 1.822" in box.inner_text()


def test_damaged_or_refused_storage_does_not_stop_the_exercises(address, chromium):
    with watched(chromium) as page:
        page.goto(address)
        for stored in (
            "{",
            "null",
            "[1]",
            json.dumps({"g-weight": 3, "curve-step": {"tries": "x"}}),
        ):
            page.evaluate("text => localStorage.setItem('gindex_lab.exercises.1', text)", stored)
            page.reload()
            give(page, "g-weight", "1/4")
            assert "Right." in page.locator('[data-exercise="g-weight"]').inner_text()
        page.add_init_script(
            "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
        )
        page.reload()
        give(page, "g-weight", "1/4")
        assert "progress ends with the page" in page.inner_text("body")
        assert "Right." in page.locator('[data-exercise="g-weight"]').inner_text()


def test_a_result_on_the_page_opens_with_its_prediction(address, chromium):
    with watched(chromium) as page:
        page.goto(address)
        page.evaluate(
            "() => { const part = document.createElement('p'); part.dataset.after = 'curve-shape'; part.textContent = 'the result'; document.body.append(part); }"
        )
        give(page, "curve-step", "3")  # any change looks at its own results only
        give(page, "curve-shape", "flat")
        assert page.get_by_text("the result").is_visible()
        page.get_by_role("button", name="Start again").first.click()
        assert not page.get_by_text("the result").is_visible()
