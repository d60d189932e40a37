"""Normal forms of late: a gold is compared with many predictions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")

_FORMS = 512


class FormCache(Generic[T]):
    """The forms used last, by whatever decides them."""

    def __init__(self) -> None:
        self._forms: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The form of that key, made where it is not known."""
        with self._lock:
            if key in self._forms:
                self._forms.move_to_end(key)
                return self._forms[key]
        form = make()
        with self._lock:
            self._forms[key] = form
            if len(self._forms) > _FORMS:
                self._forms.popitem(last=False)
        return form

    def clear(self) -> None:
        """Forget all forms."""
        with self._lock:
            self._forms.clear()
