"""One test over many cases: of the same shared file (each a subtest, named where it fails), or random ones."""

import functools
import inspect
import os

EVERY = "GINDEX_LAB_EVERY_EXAMPLE"  # set by the slow run: see tests/test_every_example.py


def some_of(examples):
    """How many random examples a property meets: a quarter in `make test`, all in `make test-slow`."""
    return examples if os.environ.get(EVERY) else max(25, examples // 4)


def looped(name, values):
    """Like `pytest.mark.parametrize`, in one test: `values` are tried one after the other."""
    names = [name] if isinstance(name, str) else list(name)

    def decorate(test):
        kept = [p for p in inspect.signature(test).parameters.values() if p.name not in names]
        mine = "subtests" in {p.name for p in kept}

        @functools.wraps(test)
        def loop(subtests, **fixtures):
            fixtures |= {"subtests": subtests} if mine else {}
            for value in values:
                case = dict(zip(names, [value] if len(names) == 1 else value, strict=True))
                with subtests.test(
                    **{key: getattr(part, "__name__", str(part)) for key, part in case.items()}
                ):
                    test(**case, **fixtures)

        own = [] if mine else [inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)]
        loop.__signature__ = inspect.Signature(
            [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in kept] + own
        )
        return loop

    return decorate
