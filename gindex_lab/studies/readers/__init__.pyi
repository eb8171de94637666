# Made from the table of contents: python -m gindex_lab.foundation.stubs

from gindex_lab.studies.readers.collect import Collector as Collector
from gindex_lab.studies.readers.formats import FORMATS as FORMATS
from gindex_lab.studies.readers.formats import sniff as sniff
from gindex_lab.studies.readers.reading import read as read
from gindex_lab.studies.readers.reading import read_scores as read_scores

__all__: list[str]
