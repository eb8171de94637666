"""Tables on which factor analysis is compared with R: made here from seeds, or printed in textbooks.

`factors_in_r.R` reads them as CSV files (`python tests/oracles/factor_tables.py FOLDER` writes them) and
writes `factors_in_r.txt`, the numbers of psych 2.2.9, lavaan 0.6.14, polycor 0.8.1 and GPArotation 2022.10.2.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

# lower triangles, three decimals; people measured
PRINTED = {
    "thurstone": (  # nine tests, Bechtoldt (1961), as in McDonald (1999), Test Theory, and R's psych
        213,
        "828 776 779 439 493 460 432 464 425 674 447 489 443 590 541 447 432 401 381 402 288 "
        "541 537 534 350 367 320 555 380 358 359 424 446 325 598 452",
    ),
    "physical": (  # eight measures of girls, Harman (1976), Modern Factor Analysis, Table 2.3
        305,
        "846 805 881 859 826 801 473 376 380 436 398 326 319 329 762 301 277 237 327 730 583 "
        "382 415 345 365 629 577 539",
    ),
    "ability": (  # six tests, Smith and Stanley (1983), as R's ability.cov
        112,
        "466 552 572 340 193 445 576 263 354 184 514 239 356 219 791",
    ),
    "psychological": (  # 24 tests, Holzinger and Swineford (1939), Harman (1976), Table 7.4
        145,
        "318 403 317 468 230 305 321 285 247 227 335 234 268 327 622 304 157 223 335 656 722 "
        "332 157 382 391 578 527 619 326 195 184 325 723 714 685 532 116 57 -75 99 311 203 246 285 170 "
        "308 150 91 110 344 353 232 300 280 484 314 145 140 160 215 95 181 271 113 585 428 "
        "489 239 321 327 344 309 345 395 280 408 535 512 125 103 177 66 280 292 236 252 260 172 350 131 195 "
        "238 131 65 127 229 251 172 175 248 154 240 173 139 370 "
        "414 272 263 322 187 291 180 296 242 124 314 119 281 412 325 "
        "176 5 177 187 208 273 228 255 274 289 362 278 194 341 345 324 "
        "368 255 211 251 263 167 159 250 208 317 350 349 323 201 334 344 448 "
        "270 112 312 137 190 251 226 274 274 190 290 110 263 206 192 258 324 358 "
        "365 292 297 339 398 435 451 427 446 173 202 246 241 302 272 388 262 301 167 "
        "369 306 165 349 318 263 314 362 266 405 399 355 425 183 232 348 173 357 331 413 "
        "413 232 250 380 441 386 396 357 483 160 304 193 279 243 246 283 273 317 342 463 374 "
        "474 348 383 335 435 431 405 501 504 262 251 350 382 242 256 360 287 272 303 509 451 503 "
        "282 211 203 248 420 433 437 388 424 531 412 414 358 304 165 262 326 405 374 366 448 375 434",
    ),
}
FACTORS = {"one": 1, "three": 3, "gaps": 3, "few": 1, "reversed": 3, "binary": 2, "graded": 2}
FACTORS |= {"thurstone": 3, "physical": 2, "ability": 2, "psychological": 4}


def printed(name):
    """The correlation matrix of a printed table, and how many people it is of."""
    people, text = PRINTED[name]
    numbers = np.array(text.split(), dtype=float) / 1000
    size = int((1 + np.sqrt(1 + 8 * len(numbers))) / 2)
    matrix = np.eye(size)
    matrix[np.tril_indices(size, -1)] = numbers
    names = [f"v{i + 1}" for i in range(size)]
    return pd.DataFrame(
        np.maximum(matrix, matrix.T) + np.minimum(matrix, matrix.T) - np.eye(size), names, names
    ), people


def normal(seed, people, pattern, phi=None):
    """Normal responses of people with these loadings (items x factors) and factor correlations."""
    rng = np.random.default_rng(seed)
    pattern = np.asarray(pattern, dtype=float)
    phi = np.eye(pattern.shape[1]) if phi is None else phi
    scores = rng.standard_normal((people, len(phi))) @ np.linalg.cholesky(phi).T
    own = np.sqrt(1 - ((pattern @ phi) * pattern).sum(1))
    return scores @ pattern.T + own * rng.standard_normal((people, len(pattern)))


def groups(factors, each, low=0.5, high=0.8):
    """Items that load on one factor each, from low to high."""
    return np.kron(np.eye(factors), np.linspace(low, high, each)[:, None])


def simulated(name):
    """A table of people x items by its name."""
    phi = np.full((3, 3), 0.4) + 0.6 * np.eye(3)
    values = {
        "one": lambda: normal(101, 300, np.linspace(0.4, 0.8, 8)[:, None]),
        "three": lambda: normal(102, 500, groups(3, 4), phi),
        "few": lambda: normal(103, 40, np.linspace(0.5, 0.8, 6)[:, None]),
        "reversed": lambda: normal(104, 400, groups(3, 4), phi) * np.tile([1, 1, -1, 1], 3),
        "binary": lambda: (
            1.0 * (normal(105, 400, groups(2, 5), phi[:2, :2]) > np.tile([-0.8, -0.3, 0, 0.5, 1], 2))
        ),
        "rare": lambda: 1.0 * (normal(111, 60, groups(1, 5)) > [-1.5, 0, 0.8, 1.2, 1.5]),
        "graded": lambda: cut(normal(106, 300, groups(2, 4), phi[:2, :2]), [-1.2, -0.4, 0.4, 1.2]),
        "sparse": lambda: np.minimum(
            cut(normal(107, 120, groups(2, 3)), [-1.5, -0.5, 0.7, 1.6]), [2, 3, 4, 4, 3, 2]
        ),
        "gaps": lambda: np.where(
            np.random.default_rng(108).random((500, 12)) < 0.1, np.nan, simulated("three")
        ),
        "gaps_graded": lambda: np.where(
            np.random.default_rng(109).random((300, 8)) < 0.15, np.nan, simulated("graded")
        ),
        "mixed": mixed,
    }[name]()
    return pd.DataFrame(values, columns=[f"v{i + 1}" for i in range(values.shape[1])])


def cut(values, at):
    """Categories 0, 1 ... of values cut at the same places."""
    return np.searchsorted(np.asarray(at), values).astype(float)


def mixed():
    """Three measured, three graded and three right-or-wrong items of one factor."""
    values = normal(110, 400, np.linspace(0.5, 0.8, 9)[:, None])
    values[:, 3:6] = cut(values[:, 3:6], [-1, 0, 1])
    values[:, 6:] = values[:, 6:] > [-0.5, 0, 0.7]
    return values


SIMULATED = [
    "one",
    "three",
    "few",
    "reversed",
    "binary",
    "rare",
    "graded",
    "sparse",
    "gaps",
    "gaps_graded",
    "mixed",
]


def in_r():
    """What R said: arrays of numbers by (table, what)."""
    found = {}
    for line in Path(__file__).with_name("factors_in_r.txt").read_text().splitlines():
        table, what, *numbers = line.split()
        found[table, what] = np.array([float(number.replace("NA", "nan")) for number in numbers])
    return found


if __name__ == "__main__":
    for table in SIMULATED:
        simulated(table).to_csv(Path(sys.argv[1], f"{table}.csv"), index=False)
    for table in PRINTED:
        printed(table)[0].to_csv(Path(sys.argv[1], f"{table}.csv"), index=False)
