"""The sign-in page and the page's own files."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

_SAID: Final = {
    "out": (
        "Not signed in, or the session has ended.",
        "未登录，或登录已过期。",
        "サインインしていないか、期限が切れました。",
    ),
    "wrong": (
        "This access token is not one of this table.",
        "令牌不正确。",
        "アクセストークンが違います。",
    ),
    "wait": (
        "Too many wrong tokens. Wait a minute.",
        "错误次数过多，请一分钟后再试。",
        "失敗が多すぎます。1分後にもう一度。",
    ),
}

_PAGE: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>paiguan 牌官</title>
<link rel="stylesheet" href="/static/style.css"></head><body class="door"><main>
<h1><span class="seal" aria-hidden="true">牌官</span> paiguan</h1>
<p role="status">{en}<br><span lang="zh">{zh}</span><br><span lang="ja">{ja}</span></p>
<form method="post" action="/"><label>Access token · <span lang="zh">令牌</span> ·
<span lang="ja">トークン</span>
<input name="token" type="password" required autocomplete="current-password"></label>
<button class="main">→ Sign in · <span lang="zh">登录</span> · <span lang="ja">サインイン</span>
</button></form></main></body></html>"""


def sign_in_page(why: str) -> str:
    """The page that asks for the token; ``why``: ``out``, ``wrong`` or ``wait``."""
    english, chinese, japanese = _SAID[why]
    return _PAGE.format(en=english, zh=chinese, ja=japanese)


class CachedStatic(StaticFiles):
    """The page's files: asked again each time, sent again only when they have changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or that it has not changed."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response
