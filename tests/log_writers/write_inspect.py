"""Logs written by Inspect itself, with a mock model: `python write_inspect.py FOLDER`.

Several tasks (a choice, a match, a number, one with epochs and one where samples fail), three models, and each
way of packing. Prints what Inspect itself says of each run, as JSON: the headline numbers that a reader must give.
"""

import itertools
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile  # which Inspect teaches Zstandard

from inspect_ai import Epochs, Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.log._recorders.chunked import convert_eval_logs_to_chunked
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, choice, match, mean, scorer, stderr
from inspect_ai.solver import generate, multiple_choice, solver

LETTERS = "ABCD"
PACKINGS = ("eval", "json", "chunks", "deflate")


@scorer(metrics=[mean(), stderr()])
def closeness():
    """A share between 0 and 1."""

    async def score(state, target):
        answer = sum(map(ord, state.output.completion))
        return Score(value=(answer % 10) / 10)

    return score


@scorer(metrics=[mean()])
def edit_distance():
    """A number without a bound, better when small."""

    async def score(state, target):
        return Score(value=float(abs(sum(map(ord, state.output.completion)) - 300)))

    return score


@scorer(metrics={"tone": [mean()], "right": [accuracy()]})
def judge():
    """Two numbers for each sample."""

    async def score(state, target):
        right = 1 if state.output.completion == target.text else 0
        return Score(value={"tone": 0.5, "right": right})

    return score


@solver
def stumble(every):
    """Fails on every so many samples."""

    async def solve(state, generate):
        if int(state.sample_id) % every == 0:
            raise RuntimeError("the tool broke")
        return await generate(state)

    return solve


@task
def capitals():
    samples = [
        Sample(id=f"q{k}", input=f"Question {k}?", choices=["w", "x", "y", "z"], target=LETTERS[k % 4],
               metadata={"human_minutes": 1 + k, "topic": "a" if k % 2 else "b"})
        for k in range(12)
    ]  # fmt: skip
    return Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice())


@task
def sums(size: int = 2):
    samples = [Sample(id=k, input=f"{size}+{k}?", target=str(k % 3)) for k in range(8)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match(), epochs=Epochs(3, "mean"))


@task
def near():
    samples = [Sample(id=k, input=f"near {k}", target="x") for k in range(6)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=closeness())


@task
def typing():
    samples = [Sample(id=k, input=f"type {k}", target="x") for k in range(6)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=edit_distance())


@task
def fragile():
    samples = [Sample(id=k, input=f"go {k}", target=str(k % 2)) for k in range(1, 9)]
    dataset = MemoryDataset(samples)
    return Task(dataset=dataset, solver=stumble(4), scorer=match(), fail_on_error=False)


@task
def judged():
    samples = [Sample(id=k, input=f"say {k}", target=str(k % 2)) for k in range(5)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=judge())


def answers(model):
    """A mock model whose answers depend on its number and on how often it was asked before."""
    asked = itertools.count()

    def answer(messages, tools, tool_choice, config):
        k = sum(map(ord, messages[-1].text)) * (model + 1) + next(asked) // 3
        text = f"ANSWER: {LETTERS[k % 4]}" if "ANSWER" in messages[-1].text else str(k % 3)
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return answer


def pack(log, target, packing):
    """Write a log as today's Inspect does, as JSON, in chunks, or deflated as it was before 2026."""
    target.parent.mkdir(parents=True, exist_ok=True)
    file = target.with_suffix(".json" if packing == "json" else ".eval")
    write_eval_log(log, str(file))
    if packing == "chunks":
        with tempfile.TemporaryDirectory() as place:
            convert_eval_logs_to_chunked(str(file), place)
            shutil.copy(next(Path(place).rglob("*.eval")), file)
    if packing == "deflate":
        with ZipFile(file) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        with ZipFile(file, "w", ZIP_DEFLATED) as new:
            for name, part in parts.items():
                new.writestr(name, part)
    return file


def headline(log, file):
    """What Inspect itself says of a run."""
    scores = {
        score.name: {name: metric.value for name, metric in score.metrics.items()}
        for score in log.results.scores
    }
    return {
        "file": file.name, "task": log.eval.task, "model": log.eval.model, "scores": scores,
        "samples": log.results.total_samples, "completed": log.results.completed_samples,
        "status": log.status,
    }  # fmt: skip


def main(folder):
    os.environ["INSPECT_DISPLAY"] = "none"
    said = []
    for where, names in (
        ("shares", ("capitals", "sums", "near", "fragile", "judged")),
        ("numbers", ("typing",)),
    ):
        for model in range(3):
            for name in names:
                mock = get_model("mockllm/model", custom_outputs=answers(model), memoize=False)
                log = eval(
                    globals()[name](), model=mock, log_dir=str(folder / "raw"), log_format="eval",
                    display="none", max_samples=1, retry_on_error=0,
                )[0]  # fmt: skip
                log = read_eval_log(log.location)
                log.eval.model = f"mock/{model}"
                packing = PACKINGS[(model + len(name)) % 4]
                file = pack(log, folder / where / f"{name}_{model}", packing)
                said.append(headline(log, file) | {"folder": where, "packing": packing})
    print(json.dumps(said))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
