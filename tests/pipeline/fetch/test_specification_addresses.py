"""Addresses: what is asked for, where redirects may lead, and what an address must not give away."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from pipeline.fetch.http import MAX_REDIRECTS
from pipeline.fetch.specification import FetchedSpec, fetch_spec
from pipeline.model.diagnostics import ExitCode, Failure
from pipeline.model.profile.profile import Release, SpecSource

from .fetching import ASSET_PATH, LIMIT, QUICK, SOURCE, SPEC, refused, release
from .web_server import Site, in_turn, redirect, serve, serving, status, unused_url


def test_a_tag_is_quoted(site: Site, cache: Path) -> None:
    site.routes["/owner/name/releases/download/a%2Fb%3F/api.yaml"] = serve(SPEC)
    tagged = SpecSource(release=Release(repository="owner/name", tag="a/b?", asset="api.yaml"))
    assert release(site, cache, source=tagged).content == SPEC


def test_redirects_are_followed(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = redirect("/storage?signature=secret")
    site.routes["/storage?signature=secret"] = serve(SPEC)
    fetched = release(site, cache)
    assert fetched.content == SPEC
    assert fetched.origin == f"{site.url}{ASSET_PATH}"


def test_redirects_end(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = redirect(ASSET_PATH)
    with refused("redirect", ExitCode.ENVIRONMENT):
        release(site, cache)
    assert len(site.asked) == MAX_REDIRECTS + 1


def test_redirects_stay_with_http(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = redirect("ftp://127.0.0.1/api.yaml")
    with refused("redirect", ExitCode.ENVIRONMENT) as found:
        release(site, cache)
    assert "`ftp`" in found[0].message


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl to make a certificate with")
def test_https_is_not_left(site: Site, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "2"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    secure = Site()
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    secure.routes[ASSET_PATH] = in_turn(serve(SPEC), redirect(f"{site.url}/api.yaml"))
    site.routes["/api.yaml"] = serve(SPEC)
    base = secure.url.replace("http:", "https:")
    with serving(secure):
        with refused("no-network", ExitCode.ENVIRONMENT) as found:
            release(base, cache)
        assert "certificate" in found[0].message.lower()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert release(base, cache).content == SPEC
        with refused("redirect", ExitCode.ENVIRONMENT):
            release(base, cache)
    assert site.asked == []


def test_http_may_become_https_but_then_fails_for_its_own_reason(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = redirect(unused_url().replace("http:", "https:"))
    with refused("no-network", ExitCode.ENVIRONMENT):
        release(site, cache)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/spec.yaml",
        "file:///spec.yaml",
        "http://",
        "http:///spec.yaml",
        "http://[::1/spec.yaml",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:port/",
        "http://xn--/",
        "http://127.0.0.1/\x01",
    ],
)
def test_bad_addresses(cache: Path, url: str) -> None:
    with refused("bad-url"):
        fetch_spec(SOURCE, override=url, mirror=None, max_bytes=LIMIT, cache=cache, policy=QUICK)


@pytest.mark.parametrize("target", ["http://127.0.0.1:99999/", "http://xn--/", "http://"])
def test_a_redirect_to_a_bad_address_is_a_finding(site: Site, cache: Path, target: str) -> None:
    site.routes[ASSET_PATH] = redirect(target)
    with pytest.raises(Failure) as caught:
        release(site, cache)
    assert caught.value.diagnostics[0].code in {"fetch/bad-url", "fetch/no-network"}


def test_secrets_in_an_address_are_sent_but_not_shown(site: Site, cache: Path) -> None:
    site.routes["/spec.yaml?token=hidden"] = in_turn(serve(SPEC), status(404))
    url = site.url.replace("//", "//user:hidden@") + "/spec.yaml?token=hidden"

    def fetch() -> FetchedSpec:
        return fetch_spec(SOURCE, override=url, mirror=None, max_bytes=LIMIT, cache=cache, policy=QUICK)

    assert fetch().origin == f"{site.url}/spec.yaml"
    assert site.asked[0][1]["Authorization"].startswith("Basic ")
    with refused("http-status", ExitCode.ENVIRONMENT) as found:
        fetch()
    assert "hidden" not in str(found)
    assert not any(b"hidden" in path.read_bytes() for path in cache.rglob("*") if path.is_file())
