"""The packages of a wheel: ours, and the top-level `data/` as `gindex_lab.shipped`."""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["gindex_lab*"]),
        "gindex_lab.shipped",
        "gindex_lab.shipped.measured",
        "gindex_lab.shipped.published",
    ],
    package_dir={"gindex_lab.shipped": "data"},
    package_data={
        "gindex_lab": ["py.typed", "**/*.pyi", "*.pyi"],
        "gindex_lab.worlds.flatland": ["shapes/*.fbp"],
        "gindex_lab.worlds.learning": ["*.toml"],
        "gindex_lab.studies": ["own_experiments/*.json", "readers/*.csv"],
        "gindex_lab.presentation": [
            "templates/*",
            "web/*.js",
            "web/*.css",
            "plots/*.mplstyle",
            "widgets/share/voila/templates/gindex_lab/*",
            "widgets/share/labconfig/*",
        ],
        "gindex_lab.shipped": ["*.csv", "*.json", "*.toml", "*/*"],
    },
)
