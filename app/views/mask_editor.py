"""Painting what is to be drawn anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.services.masks import FEATHER_MAX
from app.viewmodels.mask import BRUSH_MAX, BRUSH_MIN
from app.viewmodels.observable import follow
from app.views import icons, pixels
from app.views.mask_canvas import MaskCanvas
from app.views.mask_image import image_of

if TYPE_CHECKING:
    from app.services.masks import Mask
    from app.viewmodels.mask import MaskPanel
    from pipelines.viewing import View


class MaskEditor(QDialog):
    """Pairs with `viewmodels.mask.MaskPanel`: call its `begin`, then `open` this. It closes when the mask is in use.

    Esc leaves, Ctrl+Enter uses the mask; B paints, E erases, [ and ] change the brush.
    """

    def __init__(self, panel: MaskPanel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self.setWindowTitle(self.tr("Paint a mask"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.canvas = MaskCanvas()
        self.brush = self._slider(self.tr("Brush"), BRUSH_MIN, BRUSH_MAX)
        self.feather = self._slider(self.tr("Soft edge"), 0, FEATHER_MAX)
        self._make_actions()
        self._lay_out()
        self.resize(1000, 720)
        self.canvas.painted.connect(self._show_painted)
        self.brush[1].valueChanged.connect(panel.change_brush)
        self.feather[1].valueChanged.connect(panel.change_feather)
        panel.softened.connect(self._show_soft)
        panel.finished.connect(self._finish)
        follow(panel, "picture", self._show_picture)
        follow(panel, "loaded", self._show_loaded)
        follow(panel, "brush", self._show_brush)
        follow(panel, "erasing", self._show_erasing)
        follow(panel, "feather", self._show_feather)
        follow(panel, "saving", self._show_saving)
        self.canvas.setFocus()

    def reject(self) -> None:
        """Give it up: by Esc, the button or the window's own cross."""
        self._panel.leave()

    def use(self) -> None:
        """Draw by this mask; an empty one is none."""
        mask = self.canvas.painted_mask
        if mask is None:
            return
        if mask.is_empty:
            self._panel.use_none()
        else:
            self._panel.save(mask.values())

    def ask_file(self) -> None:
        """Go on from a mask in a file."""
        kinds = self.tr("Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.tif *.tiff)")
        dialog = QFileDialog(self, self.tr("Load a mask"), "", kinds)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._load)
        dialog.open()

    # Building

    def _make_actions(self) -> None:
        tools = QActionGroup(self)
        self.paint_action = self._action("brush", self.tr("Paint"), self._paint, "B")
        self.erase_action = self._action("eraser", self.tr("Erase"), self._erase, "E")
        for action in (self.paint_action, self.erase_action):
            action.setCheckable(True)
            tools.addAction(action)
        self.invert_action = self._action("contrast", self.tr("Invert"), self._invert, "I")
        self.clear_action = self._action("trash-2", self.tr("Clear"), self._clear, "Del")
        self.undo_action = self._action("undo-2", self.tr("Undo"), self._undo, "Ctrl+Z")
        self.redo_action = self._action("redo-2", self.tr("Redo"), self._redo, "Ctrl+Y", "Ctrl+Shift+Z")
        self.load_action = self._action("folder-open", self.tr("Load a mask"), self.ask_file, "Ctrl+O")
        self._action("", self.tr("Smaller brush"), self._panel.shrink_brush, "[")
        self._action("", self.tr("Larger brush"), self._panel.grow_brush, "]")
        self._action("", self.tr("Use this mask"), self.use, "Ctrl+Return", "Ctrl+Enter")

    def _action(self, icon: str, text: str, slot: object, *shortcuts: str) -> QAction:
        action = QAction(text, self)
        if icon:
            action.setIcon(icons.icon(icon))
        action.setShortcuts([QKeySequence(shortcut) for shortcut in shortcuts])
        action.setToolTip(f"{text} ({action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)})")
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _slider(self, name: str, low: int, high: int) -> tuple[QLabel, QSlider, QSpinBox]:
        """A name, a slider and a number that say the same."""
        label, slider, number = QLabel(name), QSlider(Qt.Orientation.Horizontal), QSpinBox()
        for part in (slider, number):
            part.setRange(low, high)
            part.setAccessibleName(name)
        slider.setMaximumWidth(160)
        slider.setMinimumWidth(60)
        slider.setPageStep(max(1, high // 20))
        number.setSuffix(self.tr(" px"))
        number.setKeyboardTracking(False)
        label.setBuddy(number)
        slider.valueChanged.connect(number.setValue)
        number.valueChanged.connect(slider.setValue)
        return label, slider, number

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 8, 12, 8)
        bar.setSpacing(4)
        for action in (self.paint_action, self.erase_action):
            bar.addWidget(self._tool(action))
        for group in (self.brush, self.feather):
            bar.addSpacing(12)
            for part in group:
                bar.addWidget(part)
        bar.addStretch(1)
        for action in (self.invert_action, self.clear_action, self.undo_action, self.redo_action, self.load_action):
            bar.addWidget(self._tool(action))
        hint = QLabel(self.tr("Paint over what is to be drawn anew. Right-click erases, the wheel zooms."))
        hint.setProperty("role", "caption")
        hint.setWordWrap(True)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        self._use = QPushButton(self.tr("Use this mask"))
        self._use.setProperty("role", "primary")
        self._use.setAutoDefault(False)
        self._use.clicked.connect(self.use)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 8, 12, 12)
        foot.setSpacing(8)
        foot.addWidget(hint, 1)
        foot.addWidget(cancel)
        foot.addWidget(self._use)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.canvas, 1)
        column.addLayout(foot)

    def _tool(self, action: QAction) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(action)
        button.setAccessibleName(action.text())
        button.setProperty("role", "quiet")
        return button

    # What the user does

    def _paint(self) -> None:
        self._panel.erasing = False

    def _erase(self) -> None:
        self._panel.erasing = True

    def _invert(self) -> None:
        if self.canvas.painted_mask is not None:
            self.canvas.painted_mask.invert()
            self._show_painted()

    def _clear(self) -> None:
        if self.canvas.painted_mask is not None:
            self.canvas.painted_mask.clear()
            self._show_painted()

    def _undo(self) -> None:
        if self.canvas.painted_mask is not None and not self.canvas.is_painting:
            self.canvas.painted_mask.undo()
            self._show_painted()

    def _redo(self) -> None:
        if self.canvas.painted_mask is not None and not self.canvas.is_painting:
            self.canvas.painted_mask.redo()
            self._show_painted()

    def _load(self, file: str) -> None:
        self._panel.load(Path(file))

    # What is shown

    def _show_picture(self, view: View | None) -> None:
        if view is not None:
            self.canvas.set_picture(pixels.image_of(view), pixels.size_of(view))
            for part in self.brush[1:]:
                part.setMaximum(min(max(view.width, view.height), BRUSH_MAX))
            self._show_loaded(self._panel.loaded)
        self._use.setEnabled(view is not None)

    def _show_loaded(self, view: View | None) -> None:
        if view is not None and self.canvas.painted_mask is not None:
            self.canvas.painted_mask.take(pixels.image_of(view))
            self._show_painted()

    def _show_painted(self) -> None:
        """The mask is another now: soften it anew where its edges are soft."""
        mask = self.canvas.painted_mask
        self.undo_action.setEnabled(mask is not None and mask.can_undo)
        self.redo_action.setEnabled(mask is not None and mask.can_redo)
        self.canvas.set_soft(None)
        if mask is not None and self._panel.feather:
            self._panel.soften(mask.values())

    def _show_soft(self, soft: Mask) -> None:
        if self._panel.feather and not self.canvas.is_painting:
            self.canvas.set_soft(image_of(soft))

    def _show_brush(self, size: int) -> None:
        self.canvas.brush = size
        self.canvas.update()
        self.brush[1].setValue(size)

    def _show_erasing(self, erasing: bool) -> None:
        self.canvas.erases = erasing
        (self.erase_action if erasing else self.paint_action).setChecked(True)

    def _show_feather(self, radius: int) -> None:
        self.feather[1].setValue(radius)
        self._show_painted()

    def _show_saving(self, saving: bool) -> None:
        self._use.setEnabled(not saving and self._panel.picture is not None)

    def _finish(self) -> None:
        super().reject()
