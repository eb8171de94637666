"""Every public parameter is declared: a hint, and of a number its range, of a word whether it is a choice.

The table is `gindex_lab/foundation/constraints.py`. What lies just outside a range is refused at the door, by the name of the
parameter and with a stable code; what lies at its ends is refused neither at the door nor inside.
"""

import inspect
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from fuzzing import attempt, methods, names, plausible

import gindex_lab as gl
from gindex_lab.foundation.constraints import RANGES, Range, range_of
from gindex_lab.foundation.declared import declared, parameters_of
from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.validate import integer

CODES = {"out-of-range", "not-a-number", "not-a-whole-number", "not-a-seed", "not-a-pair", "not-a-flag", "wrong-type", "bad-program"}  # fmt: skip


def words(text):
    return frozenset(text.split())


# Words of which a function knows a few; it refuses any other with the code "not-an-option".
CHOICES = words("""
    Rules.reward Rules.start WorldRules.reward WorldRules.start adjust alternative anytime_view.agent
    as_items.difficulty as_items.scale base collision
    conditions constant corpus.domains correlation data design discriminative domain dtype
    engine error estimator extrapolate family format fractions frame incomplete kind law linkage
    measure measures method metric missing mode model moments multigroup.level observation outside
    plot_capability_spread.labels profile redrawn repeats resample rewriting rewritings rival
    rotation rounding rule sample_kind spacing split syntax ties transform weights what wrap""")

# Texts that no function can list: names, labels, columns, programs, paths, titles.
TEXTS = words("""
    DrawingSample.domain Item.kind Pool.measure Sample.domain
    agent agent_from agents alt answer apart citation code column columns
    controls cost curriculum dates decided designs domains drop_types encoding entries equations
    exclude exits experiments failures families file filter first flow flows folder frames groups
    higher_is_better horizon image include item items keys labels licence log lower_is_better mapping models
    multiverse.measure name note option options order out pairs params path pattern port presses
    primitives priors program programs progress prompt prompts read.metric reason reference refused
    rows rules scores script second segments series settings shown shows source space start systems tables
    target tasks text title trial type unit unsure value variants verdict x""")


def declarations():
    """(label, name in the code, parameters) of every public function, class and method."""
    for label, value in names():
        yield label, value, parameters_of(value)
        if inspect.isclass(value):
            for name, made in vars(value).items():
                plain = getattr(made, "__func__", made)
                if inspect.isfunction(plain) and plain.__name__ == name and name[0] != "_":
                    yield f"{label}.{name}", plain, parameters_of(plain)


def is_number(parameter):
    return bool(parameter.kinds & {int, float})


def listed_in(table, label, name):
    return name in table or f"{'.'.join(label.split('.')[-1:])}.{name}" in table


def is_choice(label, name):
    exact = f"{label.rpartition('.')[2]}.{name}"
    return exact in CHOICES or (name in CHOICES and exact not in TEXTS)


def needed_of(value):
    """The parameters without a default."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(value).parameters
    return [n for n, p in parameters.items() if p.default is p.empty and p.kind in kinds]


def test_every_public_number_has_a_range():
    absent = [
        f"{label}({name})"
        for label, _, parameters in declarations()
        for name, one in parameters.items()
        if is_number(one) and one.allowed is None
    ]
    assert absent == [], "declare them in gindex_lab/foundation/constraints.py"


def test_every_public_text_is_a_choice_or_a_text():
    absent = [
        f"{label}({name})"
        for label, _, parameters in declarations()
        for name, one in parameters.items()
        if str in one.kinds and not is_number(one)
        if not (listed_in(CHOICES, label, name) or listed_in(TEXTS, label, name))
    ]
    assert absent == [], "declare them in gindex_lab/foundation/constraints.py"


def test_every_public_parameter_has_a_hint():
    absent = []
    for label, value, _ in declarations():
        plain = value.__init__ if inspect.isclass(value) else value
        for name, one in inspect.signature(plain).parameters.items():
            if one.annotation is one.empty and name not in ("self", "cls", "args", "kwargs"):
                absent.append(f"{label}({name})")
    assert absent == []


def test_a_new_parameter_without_a_range_would_be_found():
    def grow(bananas: int = 3) -> int:
        return bananas

    assert is_number(parameters_of(grow)["bananas"])
    assert parameters_of(grow)["bananas"].allowed is None


def test_the_table_has_no_entry_for_nothing():
    known = {name for _, _, parameters in declarations() for name in parameters}
    assert {entry.rpartition(".")[2] for entry in {*RANGES, *CHOICES}} - known == set()


def test_defaults_are_what_is_declared():
    wrong = []
    for label, value, parameters in declarations():
        for name, one in inspect.signature(value).parameters.items():
            if name in parameters and parameters[name].checked and one.default is not one.empty:
                try:
                    parameters[name].check(one.default)
                except gl.BadInput as error:
                    wrong.append(f"{label}: {error}")
    assert wrong == []


# -- values just outside, and at the ends ---------------------------------------------------------------


def beyond(allowed, whole):
    """Numbers just outside a range, and what is no number of a range at all."""
    step = 1 if whole else 1e-9
    for end, bracket, sign in ((allowed.low, allowed.ends[0], -1), (allowed.high, allowed.ends[1], 1)):  # fmt: skip
        if math.isfinite(end):
            yield end if bracket in "()" else end + sign * step * max(1, abs(end))
    yield from (math.nan, math.inf, -math.inf, True, "1", 1j)
    if whole:
        yield from (allowed.low + 0.5 if math.isfinite(allowed.low) else 0.5, 10**400)


def at_ends(allowed, whole):
    for end, bracket, sign in ((allowed.low, allowed.ends[0], 1), (allowed.high, allowed.ends[1], -1)):  # fmt: skip
        if math.isfinite(end):
            inside = end + sign * (1 if whole else 1e-6) if bracket in "()" else end
            yield int(inside) if whole else inside


def cases(kind):
    """(label, call, parameter, arguments) of every number of every public name and of methods of our objects."""
    good = plausible()
    for label, value in [*names(), *methods()]:
        try:
            signature = inspect.signature(value).parameters
        except (TypeError, ValueError):
            continue
        parameters = parameters_of(getattr(value, "__func__", value))
        needed = {n: _meant(n, good, parameters.get(n)) for n in needed_of(value)}
        for name, one in parameters.items():
            if name not in signature or not one.checked or one.allowed is None or one.allowed.rising:
                continue
            whole = int in one.kinds and float not in one.kinds
            if not one.alone or one.allowed.free or (one.open and not is_number(one) and kind is beyond):
                continue
            for number in kind(one.allowed, whole):
                if not (one.open and not isinstance(number, (int, float))) and not (
                    number is True and bool in one.kinds
                ):
                    yield f"{label}({name}={number!r})", value, name, {**needed, name: number}


def _meant(name, good, parameter):
    """What a needed parameter may be."""
    if parameter is None or parameter.allowed is None:
        return good.get(name, 1)
    if parameter.allowed.rising:
        return (0, 1)
    for number in (1, 2, 0.5, 4, 10, 100, 1000):
        if number in parameter.allowed:
            return number
    return parameter.allowed.low


def test_what_lies_just_outside_a_range_is_refused_by_name():
    wrong, calls = [], 0
    for said, value, name, given in cases(beyond):
        calls += 1
        try:
            value(**given)
            wrong.append(f"{said} gave a result")
        except gl.BadInput as error:
            if error.argument.partition("[")[0] != name or error.code not in CODES:
                wrong.append(f"{said}: {error.code}, {error}")
    assert wrong == []
    assert calls > 3000


def refused(value, given):
    """The error of ours, where a call ends with one within a second of work."""
    seen = []
    attempt(value, [], given, seconds=1, seen=seen)
    return seen[0] if seen else None


def test_what_lies_at_the_ends_of_a_range_passes_the_door():
    wrong, calls = [], 0
    for said, value, name, given in cases(at_ends):
        calls += 1
        try:
            parameters_of(getattr(value, "__func__", value))[name].check(given[name])
        except gl.BadInput as error:
            wrong.append(f"{said}: {error}")
    assert wrong == []
    assert calls > 500


def outcome(value, given, seconds=5):
    """What a call ends with, in a process that the system ends after some seconds of work or a minute of waiting:
    no timer has to interrupt compiled code."""
    here, there = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        try:
            value(**given)
            said = "result"
        except gl.GIndexLabError as error:
            said = f"refused {error.argument} {error.code}"
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is reported
            said = f"raw {type(error).__name__}: {error}"
        os.write(there, said.encode(errors="replace")[:4000])
        os._exit(0)
    os.close(there)
    with open(here, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended in (-signal.SIGXCPU, -signal.SIGKILL):  # honest work: the ends of ranges are far
        return "long"
    return said if ended == 0 else f"raw died by signal {-ended}"


def walk_the_ends(start, step):
    """Every `step`-th call at the end of a range, one JSON line each."""
    os.environ["GINDEX_LAB_OFFLINE"] = "1"
    os.chdir(tempfile.mkdtemp())
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
    warnings.simplefilter("ignore")
    for said, value, name, given in list(cases(at_ends))[start::step]:
        print(json.dumps({"call": said, "name": name, "end": outcome(value, given)}), flush=True)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that are copies")
def test_calls_at_the_ends_of_ranges_end_in_a_result_or_in_an_error_of_ours():
    code = "import test_constraints as t; t.walk_the_ends(3, 10)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=1500,
                          check=False, cwd=Path(__file__).parent)  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    refused = "refused {name} out-of-range"
    wrong = [c for c in found if c["end"].startswith("raw") or c["end"] == refused.format(**c)]
    assert wrong == []
    assert len(found) > 45
    assert sum(c["end"] == "result" for c in found) > len(found) / 3


@pytest.mark.slow
def test_a_word_that_is_no_option_is_refused_by_name():
    good, wrong, reached = plausible(), [], 0
    for label, value in [*names(), *methods()]:
        for name, one in parameters_of(getattr(value, "__func__", value)).items():
            if not one.words and not (str in one.kinds and is_choice(label, name)):
                continue
            needed = {n: good.get(n, 1) for n in needed_of(value)}
            error = refused(value, {**needed, name: "no such word"})
            if error is None:
                wrong.append(f"{label}({name}='no such word') was taken")
            elif error.argument == name:
                reached += 1
                if error.code != "not-an-option":
                    wrong.append(f"{label}({name}='no such word'): {error.code}")
    assert wrong == []
    assert reached > 100


def test_a_range_holds_by_position_and_by_name():
    @declared
    def half(runs: int, ci: float = 0.5) -> float:
        return runs / 2

    assert half(1, 0.9) == 0.5
    for call in (lambda: half(0), lambda: half(runs=0), lambda: half(1, 2), lambda: half(1, ci=-1)):
        with pytest.raises(gl.BadInput) as caught:
            call()
        assert caught.value.code == "out-of-range"


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: gl.aiq.Caps(steps=-1), "steps"),
        (lambda: gl.aiq.Plan(episodes=(10, 0)), "episodes[1]"),
        (lambda: gl.flatland.variations(gl.flatland.shape("face"), n=0, seed=1), "n"),
        (lambda: gl.flatland.Limits(depth=0), "depth"),
        (lambda: gl.flatland.Circle(1, 1, 1e9), "radius"),
        (lambda: gl.isometrics((1, 0)), "interval"),
        (lambda: gl.Rules(symmetric="no"), "symmetric"),
        (lambda: gl.simulate(None, [0.5, 1.5]), "performance[1]"),
        (lambda: gl.simulate(None, np.array([0.5, np.nan])), "performance[0]"),
        (lambda: gl.rank(plausible()["scores"], columns=True), "columns"),
    ],
)
def test_nonsense_that_once_passed_is_refused(call, argument):
    with pytest.raises(gl.BadInput) as caught:
        call()
    assert caught.value.argument == argument


def test_a_range_of_a_function_goes_before_that_of_the_name():
    assert range_of("estimate", "runs") == Range(4)
    assert range_of("as_items", "runs") == Range(1)
    assert range_of("as_items", "bananas") is None


# -- found by a stranger's fuzz: legal but odd ------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.float16, np.longdouble])
def test_a_narrow_number_means_what_it_says(kind):
    """Inside, an int8 would overflow at 200 + 100, and a float16 has three digits."""

    @declared
    def far(seed: int, n: int) -> float:
        return seed + 100 * n + n / 3

    assert far(kind(100), n=kind(99)) == far(100, n=99)


def test_a_whole_number_beyond_all_digits_is_refused():
    giant = np.finfo(np.longdouble).max
    for value in (giant, -giant):
        with pytest.raises(gl.BadInput) as caught:
            gl.aiq.sample(value)
        assert caught.value.argument == "n"
        with pytest.raises(gl.BadInput) as caught:
            integer("n", value)
        assert caught.value.argument == "n"


@declared
def compiled_sum(values: np.ndarray) -> float:
    return compiled(cache=False)(lambda x: x.sum() / 2)(values)


@declared
def anything(values: object) -> list:
    return list(iter(values))


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: gl.score_answers(iter([1]), []), "answers"),
        (lambda: gl.score_answers((x for x in [1]), []), "answers"),
        (lambda: gl.mazes.play(iter(gl.mazes.battery(2, seed=1)), gl.mazes.RandomWalk()), None),
        (lambda: gl.read("\ud800"), "path"),
        (lambda: gl.dominance(range(10**12)), None),
        (lambda: compiled_sum(np.array([b"a"])), "values"),
        (lambda: anything(Decimal("nan")), "values"),
    ],
)
def test_odd_arguments_get_an_error_of_ours(call, argument):
    with pytest.raises(gl.GIndexLabError) as caught:
        call()
    assert argument is None or caught.value.argument == argument


def test_a_text_in_place_of_numbers_and_a_name_that_cannot_be_one_are_named():
    @declared
    def mean(table: pd.DataFrame) -> object:
        return table["x"].mean()

    @declared
    def names(labels: Sequence[object]) -> object:
        return dict.fromkeys(labels)

    with pytest.raises(gl.BadInput) as caught:
        mean(pd.DataFrame({"x": pd.array(["a", "b"], dtype="str")}))
    assert (caught.value.argument, caught.value.code) == ("table", "not-a-number")
    with pytest.raises(gl.BadInput) as caught:
        names([[1], 2])
    assert (caught.value.argument, caught.value.code) == ("labels", "wrong-type")


# -- what every documented call makes of odd forms of its arguments (odd_examples.py) ---------------------


def test_a_whole_float_is_a_count_a_seed_and_an_element():
    @declared
    def counted(n: int, episodes: tuple[int, ...] = (), seed: int | np.random.Generator = 0) -> object:
        return list(range(n)), [list(range(e)) for e in episodes], list(range(seed))

    assert counted(2.0, (1.0, 2), seed=1.0) == ([0, 1], [[0], [0, 1]], [0])


def test_what_holds_itself_is_refused_before_anything_runs():
    looped, tangled = [(1, 2)], {}
    looped.append(looped)
    tangled["a"] = [tangled]
    deep = []
    for _ in range(5000):
        deep = [deep]
    for value in (looped, tangled, deep):
        with pytest.raises(gl.BadInput) as caught:
            anything(value)
        assert (caught.value.argument, caught.value.code) == ("values", "too-deep")
    assert anything([[[1]]]) == [[[1]]]


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (pd.DataFrame({"x": [Decimal(1)]}), "not-a-number"),
        (pd.DataFrame({"x": pd.array([1, None], "Int64")}), "not-a-number"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), "duplicate-label"),
        (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("x", "y")])), "wrong-type"),
        (pd.DataFrame({"x": [1.0, np.nan]}), "not-finite"),
        (pd.Series([pd.Timestamp("2026-01-01", tz="UTC")]), "not-a-number"),
    ],
)
def test_a_table_that_pandas_can_hold_and_a_function_cannot_use_is_named(table, code):
    @declared
    def fails(table: pd.DataFrame | pd.Series) -> object:
        raise TypeError("something deep in pandas")

    with pytest.raises(gl.BadInput) as caught:
        fails(table)
    assert (caught.value.argument, caught.value.code) == ("table", code)


def test_an_error_that_no_argument_explains_stays_as_it_is():
    @declared
    def fails(table: pd.DataFrame, n: int) -> object:
        raise TypeError("a fault of ours")

    with pytest.raises(TypeError, match="a fault of ours"):
        fails(pd.DataFrame({"x": [1.0], "y": ["a"]}), 1)
