"""What catsim 0.21.0 selects by maximum information: `pip install catsim==0.21.0`, then run this file.

It writes `catsim_selection.json`: item parameters, the information of each item at some abilities, and the order
in which `MaxInfoSelector` asks when every answer leaves the ability estimate where the list says.
"""

import json
from pathlib import Path

import numpy as np


def made():
    from catsim import irt
    from catsim.item_bank import ItemBank
    from catsim.selection import MaxInfoSelector

    rng = np.random.default_rng(7)
    items = np.column_stack(
        [
            rng.lognormal(0, 0.4, 30),
            rng.normal(0, 1.2, 30),
            rng.choice([0.0, 0.2, 0.25], 30),
            np.ones(30),
        ]
    ).round(3)
    abilities = [-2.0, -0.7, 0.0, 0.9, 2.3]
    path = [0.0, 0.6, 0.2, -0.3, -0.1, 0.1, 0.05, 0.4, 0.3, 0.25]
    bank, selector, asked = ItemBank(items), MaxInfoSelector(), []
    for theta in path:
        asked.append(int(selector.select(item_bank=bank, administered_items=asked, est_theta=theta)))
    information = [[float(irt.inf(theta, *row)) for row in items] for theta in abilities]
    return {
        "items": items[:, :3].tolist(),
        "abilities": abilities,
        "information": np.round(information, 10).tolist(),
        "path": path,
        "asked": asked,
    }


if __name__ == "__main__":
    Path(__file__).with_suffix(".json").write_text(json.dumps(made()) + "\n", "utf-8")
