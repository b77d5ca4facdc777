"""The formats logbert knows by name: loghub's sixteen systems, and what servers, programs and containers write."""

from __future__ import annotations

from dataclasses import dataclass, field

from logbert.lines.format import Format
from logbert.lines.layout import LEVELS
from logbert.lines.pattern import Pattern

HOST = r"^[\w.:/@-]+$"
WORD = r"^[^\s\[\]]+$"


@dataclass(frozen=True)
class Preset:
    """A format with a name.

    Attributes
    ----------
    name
        What `--format` calls it.
    text
        A loghub format string, or a regular expression with named groups.
    time
        The fields that make the timestamp.
    clocks
        The clocks that may read them.
    level, label
        The fields that hold the severity and the alert label.
    checks
        What fields must look like for `auto` to believe in it; a format that was asked for by name is not checked.
    refuses
        What fields must not look like.
    signs
        What a field must look like at least once.
    """

    name: str
    text: str
    time: tuple[str, ...]
    clocks: tuple[str, ...]
    level: str = ""
    label: str = ""
    checks: dict[str, str] = field(default_factory=dict)
    refuses: dict[str, str] = field(default_factory=dict)
    signs: dict[str, str] = field(default_factory=dict)

    def format(self, clock: str = "") -> Format:
        """Make it a format."""
        return Format(
            name=self.name,
            shape=Pattern(self.text),
            time=self.time,
            clock=clock or self.clocks[0],
            level=self.level,
            label=self.label,
            joins="all",
        )


_PRIORITY = r"(?:<(?P<priority>\d{1,3})>)?"
_SYSLOG_MESSAGE = r"(?:(?P<app>[^\s\[\]:]+(?: [^\s\[\]:]+){0,3}?)(?:\[(?P<pid>[^\]]*)\])?:(?: |$))?(?P<Content>.*)$"
_REQUEST = (
    r"(?P<client>\S+) (?P<ident>\S+) (?P<user>.+?) \[(?P<time>[^\]]+)\] "
    r'(?P<Content>"(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3}|-)) (?P<bytes>\d+|-)'
)

# In the order in which `auto` prefers them where several fit equally well: the particular before the general.
PRESETS: tuple[Preset, ...] = (
    Preset(
        "bgl",
        "<Label> <Timestamp> <Date> <Node> <Time> <NodeRepeat> <Type> <Component> <Level> <Content>",
        ("Timestamp",),
        ("epoch",),
        "Level",
        "Label",
        {
            "Label": r"^(?:-|[A-Z][A-Z0-9_]*)$",
            "Date": r"^\d{4}\.\d\d\.\d\d$",
            "Time": r"^\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d\.\d{6}$",
        },
    ),
    Preset(
        "thunderbird",
        r"<Label> <Timestamp> <Date> <User> <Month> <Day> <Time> <Location> <Component>(\[<PID>\])?: <Content>",
        ("Timestamp",),
        ("epoch",),
        "",
        "Label",
        {
            "Label": r"^(?:-|[A-Z][A-Z0-9_]*)$",
            "Date": r"^\d{4}\.\d\d\.\d\d$",
            "Month": r"^[A-Z][a-z]{2}$",
            "Day": r"^\d{1,2}$",
            "Time": r"^\d\d:\d\d:\d\d$",
        },
    ),
    Preset(
        "hdfs",
        "<Date> <Time> <Pid> <Level> <Component>: <Content>",
        ("Date", "Time"),
        ("compact",),
        "Level",
        "",
        {"Pid": r"^\d+$", "Level": LEVELS, "Component": WORD},
    ),
    Preset(
        "hadoop",
        r"<Date> <Time> <Level> \[<Process>\] <Component>: <Content>",
        ("Date", "Time"),
        ("iso",),
        "Level",
        "",
        {"Level": LEVELS, "Component": WORD},
    ),
    Preset(
        "zookeeper",
        r"<Date> <Time> - <Level>  \[<Node>:<Component>@<Id>\] - <Content>",
        ("Date", "Time"),
        ("iso",),
        "Level",
        "",
        {"Level": LEVELS, "Id": r"^\d+$"},
    ),
    Preset(
        "openstack",
        r"<Logrecord> <Date> <Time> <Pid> <Level> <Component> \[<ADDR>\] <Content>",
        ("Date", "Time"),
        ("iso",),
        "Level",
        "",
        {"Level": LEVELS, "Pid": r"^\d+$", "Component": WORD, "ADDR": r"req-|^-"},
    ),
    Preset(
        "spark",
        "<Date> <Time> <Level> <Component>: <Content>",
        ("Date", "Time"),
        ("year-first",),
        "Level",
        "",
        {"Level": LEVELS, "Component": WORD},
    ),
    Preset(
        "android",
        "<Date> <Time>  <Pid>  <Tid> <Level> <Component>: <Content>",
        ("Date", "Time"),
        ("android", "iso"),
        "Level",
        "",
        {"Pid": r"^\d+$", "Tid": r"^\d+$", "Level": r"^[VDIWEFAS]$"},
    ),
    Preset(
        "healthapp",
        r"<Time>\|<Component>\|<Pid>\|<Content>",
        ("Time",),
        ("healthapp",),
        checks={"Pid": r"^\d+$"},
    ),
    Preset(
        "hpc",
        "<LogId> <Node> <Component> <State> <Time> <Flag> <Content>",
        ("Time",),
        ("epoch",),
        checks={"LogId": r"^\d+$", "Flag": r"^\d+$", "Node": r"^[A-Za-z]"},
    ),
    Preset(
        "proxifier",
        r"\[<Time>\] <Program> - <Content>",
        ("Time",),
        ("proxifier",),
    ),
    Preset(
        "windows",
        "<Date> <Time>, <Level> <Component> <Content>",
        ("Date", "Time"),
        ("iso",),
        "Level",
        "",
        {"Level": LEVELS, "Component": WORD},
    ),
    Preset(
        "openssh",
        r"<Date> <Day> <Time> <Component> sshd\[<Pid>\]: <Content>",
        ("Date", "Day", "Time"),
        ("syslog",),
        checks={"Component": HOST, "Pid": r"^\d+$"},
    ),
    Preset(
        "mac",
        r"<Month>  <Date> <Time> <User> <Component>\[<PID>\]( \(<Address>\))?: <Content>",
        ("Month", "Date", "Time"),
        ("syslog",),
        refuses={"User": LEVELS},
        checks={"User": HOST, "PID": r"^\d+$", "Component": r"^[\w .-]+$"},
        # Only a Mac's kernel writes its process number; other systems write the same header otherwise.
        signs={"Component": r"^(?:com\.apple\b|kernel$)"},
    ),
    Preset(
        "linux",
        r"<Month> <Date> <Time> <Level> <Component>(\[<PID>\])?: <Content>",
        ("Month", "Date", "Time"),
        ("syslog",),
        refuses={"Level": LEVELS},
        checks={"Level": HOST, "Component": r"^\S+(?: \S+)?$"},
    ),
    Preset(
        "apache",
        r"\[<Time>\] \[<Level>\] <Content>",
        ("Time",),
        ("asctime",),
        "Level",
        "",
        {"Level": r"^(?:[a-z_0-9]+:)?(?:emerg|alert|crit|error|warn|notice|info|debug|trace[1-8])$"},
    ),
    Preset(
        "nginx-error",
        (
            r"^(?P<Date>\d{4}/\d\d/\d\d) (?P<Time>\S+) \[(?P<Level>\w+)\] (?P<pid>\d+)#(?P<tid>\d+): "
            r"(?:\*(?P<connection>\d+) )?(?P<Content>.*)$"
        ),
        ("Date", "Time"),
        ("slash-iso",),
        "Level",
    ),
    Preset(
        "combined",
        rf'^{_REQUEST} "(?P<referrer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)"(?P<rest>.*)$',
        ("time",),
        ("clf",),
    ),
    Preset("common", rf"^{_REQUEST}$", ("time",), ("clf",)),
    Preset(
        "syslog-5424",
        (
            r"^<(?P<priority>\d{1,3})>[1-9]\d? (?P<time>\S+) (?P<host>\S+) (?P<app>\S+) (?P<pid>\S+) (?P<id>\S+) "
            r'(?P<data>-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+)(?: \x{feff}?)?(?P<Content>.*)$'
        ),
        ("time",),
        ("iso",),
    ),
    Preset(
        "syslog",
        (
            rf"^{_PRIORITY}(?P<time>[A-Z][a-z]{{2}}\s+\d{{1,2}} (?:\d{{4}} )?\d\d:\d\d:\d\d(?:\.\d+)?) "
            rf"(?P<host>\S+) {_SYSLOG_MESSAGE}"
        ),
        ("time",),
        ("syslog", "month-name"),
        checks={"host": HOST},
        refuses={"host": LEVELS},
    ),
    Preset(
        "syslog-iso",
        (
            rf"^{_PRIORITY}(?P<time>\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)) "
            rf"(?P<host>[A-Za-z0-9_.-]+) {_SYSLOG_MESSAGE}"
        ),
        ("time",),
        ("iso",),
        checks={"app": r"^\S+$"},
        refuses={"host": LEVELS},
    ),
    Preset(
        "klog",
        (
            r"^(?P<Level>[IWEF])(?P<Date>(?:\d{4}){1,2}) (?P<Time>\d\d:\d\d:\d\d\.\d+)\s+(?P<pid>\d+) "
            r"(?P<code>[^\s\]]+:\d+)\] (?P<Content>.*)$"
        ),
        ("Date", "Time"),
        ("klog", "compact-long"),
        "Level",
    ),
    Preset(
        "python",
        "<Date> <Time> - <Logger> - <Level> - <Content>",
        ("Date", "Time"),
        ("iso",),
        "Level",
        "",
        {"Level": LEVELS, "Logger": WORD},
    ),
    Preset(
        "celery",
        r"\[<Date> <Time>: <Level>/<Process>\] <Content>",
        ("Date", "Time"),
        ("iso",),
        "Level",
        "",
        {"Level": LEVELS, "Process": WORD},
    ),
    Preset(
        "ruby",
        (
            r"^(?P<Letter>[DIWEFAU]), \[(?P<Time>\S+) #(?P<Pid>\d+)\] +(?P<Level>[A-Z]+) -- (?P<Program>[^:]*): ?"
            r"(?P<Content>.*)$"
        ),
        ("Time",),
        ("iso",),
        "Level",
    ),
    Preset(
        "cassandra",
        r"<Level> \[<Thread>\] <Date> <Time> <Source> - <Content>",
        ("Date", "Time"),
        ("iso",),
        "Level",
        "",
        {"Level": LEVELS, "Source": r"^\S+:\d+$"},
    ),
    Preset(
        "elasticsearch",
        (
            r"^\[(?P<Time>[^\]\s]+)\]\[(?P<Level>[A-Z]+) *\] ?\[(?P<Logger>[^\]\s]+) *\] "
            r"(?:\[(?P<Node>[^\]]*)\] ?)?(?P<Content>.*)$"
        ),
        ("Time",),
        ("iso",),
        "Level",
    ),
    Preset(
        "envoy",
        (
            r"^\[(?P<Time>[^\]]+)\]\[(?P<Pid>\d+)\]\[(?P<Level>[a-z]+)\]\[(?P<Logger>[^\]]+)\] "
            r"(?:\[(?P<Source>[^\]\s]+:\d+)\] )?(?P<Content>.*)$"
        ),
        ("Time",),
        ("iso",),
        "Level",
        "",
        {"Level": LEVELS},
    ),
    Preset(
        "redis",
        "<Pid>:<Role> <Day> <Month> <Year> <Time> <Level> <Content>",
        ("Day", "Month", "Year", "Time"),
        ("month-name",),
        checks={"Pid": r"^\d+$", "Role": r"^[XCSM]$"},
    ),
    # A machine that has been up for thirty years is an epoch in brackets.
    Preset("dmesg", r"\[<Time>\] <Content>", ("Time",), ("uptime",), checks={"Time": r"^ *\d{1,8}\."}),
    Preset(
        "python-default",
        "<Level>:<Logger>:<Content>",
        (),
        ("",),
        "Level",
        "",
        {"Level": r"^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)$", "Logger": WORD},
    ),
)
BY_NAME = {preset.name: preset for preset in PRESETS}
ALIASES = {
    "access": "combined",
    "nginx": "combined",
    "apache-access": "combined",
    "apache-error": "apache",
    "rfc3164": "syslog",
    "rfc5424": "syslog-5424",
    "journal-short-iso": "syslog-iso",
    "glog": "klog",
}
