import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.errors import ModelError, OptionError
from logbert.sequences import CountWindows, Fields, Grouping, Sessions, TimeWindows

MINUTE = 60_000_000


@pytest.mark.parametrize(
    ("text", "grouping"),
    [
        (r"session:blk_-?\d+", Sessions(r"blk_-?\d+")),
        ("session:id: ([a-z:]+)", Sessions("id: ([a-z:]+)")),
        ("field:source", Fields(("source",))),
        ("field:host, pid", Fields(("host", "pid"))),
        ("time:5min", TimeWindows(5 * MINUTE, 5 * MINUTE)),
        ("time:5min/1min", TimeWindows(5 * MINUTE, MINUTE)),
        ("time:90sec", TimeWindows(3 * MINUTE // 2, 3 * MINUTE // 2)),
        ("count:100", CountWindows(100, 100)),
        (" count:100 / 50 ", CountWindows(100, 50)),
    ],
)
def test_what_a_user_writes_is_understood(text: str, grouping: Grouping) -> None:
    assert Grouping.parse(text) == grouping


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        ("", "count:100"),
        ("blk_", "session:"),
        ("sessions:blk", "session:"),
        ("auto", "Grouping.choose"),
        ("session:", "session:blk_"),
        ("session:(", "unclosed group"),
        ("session:(?=blk)", "look-around"),
        ("session:a{9999999}", "size limit"),
        (r"session:\d*", "matches nothing at all"),
        ("field:", "field:source"),
        ("field:a,,b", "field:source"),
        ("time:5", "time:5min"),
        ("time:five minutes", "time:5min"),
        ("time:0s", "time:5min/1min"),
        ("time:1min/5min", "step is longer"),
        ("time:5min/", "time:5min"),
        ("time:999999999d", "hundred years"),
        ("count:0", "count:100"),
        ("count:-5", "count:100"),
        ("count:1e3", "count:100"),
        ("count:50/100", "step is longer"),
        ("count:99999999999999999999", "count:100"),
    ],
)
def test_nonsense_is_quoted_and_put_right_in_one_line(text: str, shows: str) -> None:
    with pytest.raises(OptionError) as caught:
        Grouping.parse(text)
    message = str(caught.value)
    assert repr(text) in message
    assert shows in message
    assert "\n" not in message


SPECS = st.one_of(
    st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)).map(lambda n: f"count:{max(n)}/{min(n)}"),
    st.tuples(st.integers(1, 9999), st.integers(1, 9999), st.sampled_from(["s", "min", "h"])).map(
        lambda n: f"time:{max(n[:2])}{n[2]}/{min(n[:2])}{n[2]}"
    ),
    st.lists(st.from_regex(r"[a-zA-Z_.]{1,9}", fullmatch=True), min_size=1, max_size=3).map(
        lambda names: "field:" + ",".join(names)
    ),
    st.sampled_from([r"session:blk_-?\d+", "session:req-[0-9a-f]{8}", r'session:"id":\s*"(\w+)"']),
)


@settings(max_examples=80, deadline=None)
@given(SPECS)
def test_a_grouping_survives_text_and_json(spec: str) -> None:
    grouping = Grouping.parse(spec)
    assert Grouping.parse(str(grouping)) == grouping
    again = Grouping.from_state(json.loads(json.dumps(grouping.state())))
    assert (again, again.why) == (grouping, grouping.why)


@pytest.mark.parametrize("state", [{}, {"group": "rubbish", "why": ""}, {"group": 5, "why": ""}, {"group": None}])
def test_a_damaged_state_is_an_error_of_the_model(state: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="grouping"):
        Grouping.from_state(state)
