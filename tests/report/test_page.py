"""The report: one page for people, whole in itself, readable, and safe whatever the log holds."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from logbert import Pipeline
from logbert.report import write_report
from tests.shop import ODD, shop_log

EVIL = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(2)>",
    '" onmouseover="alert(3)" x=\'',
    "{{incidents}} {{title}}",
    "</code></li></ol></details><iframe src=//evil.example>",
    "&lt;b&gt; &amp; \x1b[31m\x00",
)
VOID = {"meta", "link", "br", "rect", "line", "img", "input"}


class Elements(HTMLParser):
    """The elements of a page, whether they are closed as they were opened, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    good = tmp_path_factory.mktemp("report") / "good.log"
    good.write_text(shop_log(600))
    return Pipeline(detector="novelty").fit(good)


def report(pipeline: Pipeline, log: Path) -> str:
    out = log.with_suffix(".html")
    write_report(pipeline.examine(log), pipeline.detector_, out, title="today")
    return out.read_text(encoding="utf-8")


def test_it_shows_summary_timeline_incidents_and_lines(pipeline: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_text(shop_log(80, seed=1, odd=ODD))
    page = report(pipeline, tmp_path / "bad.log")
    text = Elements(page).text
    assert "2 of 80 sequences are out of the ordinary (2.50%), in 2 incidents." in text
    assert page.count("<svg") == 2
    assert "records, up to" in text
    line = next(one for one in (tmp_path / "bad.log").read_text().splitlines() if "refused" in one)
    assert line in text
    assert "never in training" in text


def test_each_record_of_the_worst_sequence_is_coloured_by_surprise(pipeline: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_text(shop_log(80, seed=1, odd={17: ODD[17]}))
    page = report(pipeline, tmp_path / "bad.log")
    records = re.findall(r'<li style="--heat:([\d.]+)">(.*?)</li>', page)
    assert len(records) == 4
    assert max(records, key=lambda record: float(record[0]))[1].count("refused") == 1
    assert "0.00" in {heat for heat, _ in records}


@pytest.mark.parametrize("evil", EVIL)
def test_log_content_is_never_markup(pipeline: Pipeline, tmp_path: Path, evil: str) -> None:
    calm = report_of(pipeline, tmp_path, "harmless")
    page = report_of(pipeline, tmp_path, evil)
    elements = Elements(page)
    assert elements.open == []
    assert elements.names <= Elements(calm).names
    assert elements.attributes <= Elements(calm).attributes
    if "\x00" not in evil:
        assert evil in elements.text


def report_of(pipeline: Pipeline, folder: Path, words: str) -> str:
    log = folder / "evil.log"
    text = shop_log(60, seed=2, odd={5: "ERROR [worker-1] billing: order ord-{id:06x} EVIL"})
    log.write_text(text.replace("EVIL", words))
    return report(pipeline, log)


def test_a_page_is_whole_in_itself_and_forbids_the_network(pipeline: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_text(shop_log(80, seed=1, odd=ODD))
    page = report(pipeline, tmp_path / "bad.log")
    assert "default-src 'none'" in page
    assert Elements(page).names.isdisjoint({"script", "link", "img", "iframe", "object", "form"})
    assert not re.search(r"(?:src|href)\s*=|url\(|@import", page)
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page


def test_ten_thousand_anomalous_sequences_are_still_a_page(pipeline: Pipeline, tmp_path: Path) -> None:
    odd = {
        n: f"ERROR [worker-1] billing: trouble {chr(97 + n % 26)}{chr(97 + n // 26 % 26)} with ord-{{id:06x}}"
        for n in range(10_000)
    }
    (tmp_path / "bad.log").write_text(shop_log(10_000, seed=1, odd=odd))
    page = report(pipeline, tmp_path / "bad.log")
    assert "10,000 of 10,000 sequences" in page
    assert len(page) < 2_000_000
    assert Elements(page).open == []


def test_a_page_of_nothing_shows_what_is_oddest(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(shop_log(80))
    (tmp_path / "bad.log").write_text(shop_log(80, seed=1, odd=ODD))
    careful = Pipeline(detector="novelty", false_alarms=1e-40).fit(tmp_path / "good.log")
    text = Elements(report(careful, tmp_path / "bad.log")).text
    assert "Nothing out of the ordinary in 80 sequences. The oddest, below the boundary:" in text
    assert "gateway refused the charge" in text


def test_sequences_without_times_or_lines_have_a_page_too(tmp_path: Path) -> None:
    (tmp_path / "train").write_text("1 2 3\n1 2 2 3\n" * 60)
    (tmp_path / "judged").write_text("1 2 3\n" * 20 + "1 9 3\n")
    pipeline = Pipeline(format="sequences", detector="novelty").fit(tmp_path / "train")
    text = Elements(report(pipeline, tmp_path / "judged")).text
    assert 'never seen before: "9", once in 1 sequence' in text
    assert "sequence 1" in text
