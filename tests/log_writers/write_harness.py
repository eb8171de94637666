"""Logs written by lm-evaluation-harness itself, with made-up models and tasks of our own: no hub, no torch.

`python write_harness.py FOLDER` writes what `lm_eval --log_samples --output_path` does, for three models, and
prints the harness's own results as JSON: the headline numbers that a reader must give.
"""

import json
import os
import sys
import zlib
from pathlib import Path

os.environ |= {"HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

import datasets
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

CHOICE = """
task: own_choice
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "Q: {{{{question}}}} A:"
doc_to_choice: "{{{{options}}}}"
doc_to_target: "{{{{answer}}}}"
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
  - {{metric: acc_norm, aggregation: mean, higher_is_better: true}}
"""
OPEN = """
task: own_open
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n"]}}
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true}}
filter_list:
  - name: strict
    filter: [{{function: regex, regex_pattern: "^answer ([0-9]+)$"}}, {{function: take_first}}]
  - name: flexible
    filter: [{{function: regex, regex_pattern: "([0-9]+)"}}, {{function: take_first}}]
"""
ROLLING = """
task: own_rolling
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{{{question}}}}"
metric_list:
  - {{metric: bits_per_byte, aggregation: bits_per_byte, higher_is_better: false}}
"""
GROUP = "group: own_group\ntask: [own_choice, own_open]\naggregate_metric_list: [{metric: acc, weight_by_size: true}]\n"


class Made(LM):
    """A model whose every answer follows from its number and the request."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def _draw(self, request, size):
        return zlib.crc32(f"{self.number} {request.args}".encode()) % size

    def loglikelihood(self, requests, disable_tqdm=False):
        return [(-1.0 - self._draw(request, 97), False) for request in requests]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        return [-5.0 - self._draw(request, 50) for request in requests]

    def generate_until(self, requests, disable_tqdm=False):
        words = ("answer {}", "it is {}", "{}")
        return [words[self._draw(request, 3)].format(self._draw(request, 4)) for request in requests]


def write_tasks(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"question": f"What is {k}?", "options": ["red", "green", "light blue", "x"], "answer": k % 4,
         "level": 1 + k % 5}
        for k in range(20)
    ]  # fmt: skip
    data = folder / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, text in (("choice", CHOICE), ("open", OPEN), ("rolling", ROLLING)):
        (folder / f"{name}.yaml").write_text(text.format(data=data))


def main(folder):
    datasets.disable_progress_bars()
    os.environ["HF_HOME"] = str(folder / "cache")
    write_tasks(folder / "tasks")
    tasks = TaskManager(include_path=str(folder / "tasks"), include_defaults=False)
    said = {}
    for number in range(3):
        name = f"own/model-{number}"
        found = simple_evaluate(
            Made(number), tasks=["own_choice", "own_open", "own_rolling"], task_manager=tasks,
            log_samples=True, bootstrap_iters=0, verbosity="ERROR",
        )  # fmt: skip
        found["config"] |= {
            "model": "made",
            "model_args": f"pretrained={name}",
            "model_source": "made",
        }
        tracker = EvaluationTracker(output_path=str(folder / "logs"))
        tracker.general_config_tracker.log_experiment_args(
            model_source="made", model_args=f"pretrained={name}", system_instruction=None,
            chat_template=None, fewshot_as_multiturn=False,
        )  # fmt: skip
        samples = found.pop("samples")
        tracker.save_results_aggregated(results=found, samples=samples)
        for task in found["configs"]:
            tracker.save_results_samples(task_name=task, samples=samples[task])
        said[name] = found["results"]
    print(json.dumps(said, default=str))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
