"""The EM of every response model: mirt's printed numbers, direct maximisation, groups, and what must hold."""

import numpy as np
import pytest

from gindex_lab.measures.psychometrics.irt_engine import fit
from gindex_lab.measures.psychometrics.irt_errors import observed_information
from gindex_lab.measures.psychometrics.irt_models import model_of
from gindex_lab.measures.psychometrics.irt_plan import Plan, Table
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors

TIGHT = IrtSettings(tolerance=1e-8)
# How many of 1,000 people gave each pattern 00000, 00001, ... of five items: LSAT sections 6 and 7
# (Bock and Lieberman 1970, Psychometrika 35, 179-197, Table 1)
LSAT6 = "3 6 2 11 1 1 3 4 1 8 0 16 0 3 2 15 10 29 14 81 3 28 15 80 16 56 21 173 11 61 28 298"
LSAT7 = "12 19 1 7 3 19 3 17 10 5 3 7 7 23 8 28 7 39 11 34 14 51 15 90 6 25 7 35 18 136 32 308"


def lsat(counts):
    patterns = np.array([[int(bit) for bit in f"{n:05b}"] for n in range(32)], dtype=float)
    return np.repeat(patterns, [int(n) for n in counts.split()], axis=0)


def fitted(name, values, **options):
    categories = np.nanmax(values, axis=0).astype(int) + 1
    model = model_of(name, categories)
    tables = [Table.of_categories(values, model.columns)]
    plan = Plan.usual(model, common_slope=name == "pcm")
    return tables, model, plan, fit(tables, model, plan, settings=TIGHT, **options)


# -- numbers of R's mirt, from its own tests (philchalmers/mirt, tests/testthat) -----------------------


def test_lsat7_2pl_is_mirts():
    tables, model, plan, found = fitted("2pl", lsat(LSAT7))
    assert found.log_likelihood == pytest.approx(-2658.805, abs=5e-4)
    # test-01-mirtOne.R, mirt(data, 1, SE = TRUE, SE.type = 'SEM')
    assert found.parameters[0].ravel() == pytest.approx(
        [0.9876, 1.8559, 1.0808, 0.808, 1.7075, 1.8052, 0.765, 0.486, 0.7357, 1.8545], abs=1e-4
    )
    info = observed_information(tables, model, plan, found, TIGHT, Priors())
    errors = np.sqrt(np.linalg.inv(info).diagonal())
    # SE.type = 'Richardson': half of the printed 95% intervals
    half = [1.3354 - 0.988, 2.1138 - 1.8561, 1.4119 - 1.081, 0.9869 - 0.808, 2.334 - 1.706]
    assert errors[:5] * 1.959964 == pytest.approx(half, abs=2e-3)
    condition = np.linalg.cond(info)
    assert condition == pytest.approx(30.24068, rel=5e-3)
