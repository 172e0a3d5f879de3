#!/bin/bash
# Packages a built program: build.sh PROGRAM FOLDER writes FOLDER/lifesignal_<version>_amd64.deb, or
# arm64 on such a machine. The package is for the Debian that builds it, because the names of
# libraries change from one to the next.
# ArgumentParser's generate-manual must be beside PROGRAM (`make generate-manual`).
# The version is the program's version, the time of the last commit and the Debian. DEB_VERSION
# overrides the version. DEB_MAINTAINER names the packager as "Name <address>". SOURCE_DATE_EPOCH
# gives the time where there is no git.
set -euo pipefail
umask 022

program=$(realpath "${1:?usage: build.sh PROGRAM FOLDER}")
output=$(realpath "${2:?usage: build.sh PROGRAM FOLDER}")
generator=$(realpath -e "$(dirname "$program")/generate-manual")
here=$(dirname "$(realpath "$0")")
deploy=$(dirname "$here")

moment=${SOURCE_DATE_EPOCH:-$(git -C "$deploy" log -1 --format=%ct 2>/dev/null ||
	stat -c %Y "$program")}
export SOURCE_DATE_EPOCH=$moment
build=$("$program" --version)
release=$(. /etc/os-release && echo "deb${VERSION_ID:-0}")
version=${DEB_VERSION:-${build%% *}+$(date -u -d "@$moment" +%Y%m%d%H%M%S)~$release}
maintainer=${DEB_MAINTAINER:-LifeSignal <lifesignal@localhost>}
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/debian/lifesignal
libraries=$root/usr/lib/lifesignal

place() { # MODE SOURCE DESTINATION
	install -D -m "$1" "$2" "$root/$3"
}

place 0755 "$program" usr/bin/lifesignal
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/lifesignal"

# Debian lacks a Swift package, so this package includes Swift's runtime in a folder of its own.
mkdir -p "$libraries"
ldd "$program" | awk '$3 ~ "/swift/linux/" { print $3 }' | while read -r library; do
	install -m 0644 "$library" "$libraries/"
done
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$libraries"/*.so
# The libraries already look for each other in their own folder ($ORIGIN).
chrpath -r /usr/lib/lifesignal "$root/usr/bin/lifesignal" >/dev/null

place 0755 "$deploy/systemd/backup" usr/libexec/lifesignal/backup
for unit in lifesignal.service lifesignal.socket lifesignal-backup.service \
	lifesignal-backup.timer lifesignal-doctor.service; do
	place 0644 "$deploy/systemd/$unit" "lib/systemd/system/$unit"
done
# The file may contain a provider's token.
place 0600 "$deploy/systemd/lifesignal.env" etc/lifesignal/lifesignal.env

examples=usr/share/doc/lifesignal/examples
for file in systemd/lifesignal.yaml caddy/Caddyfile caddy/Caddyfile.several haproxy/haproxy.cfg \
	fail2ban/filter.conf fail2ban/jail.conf \
	nginx/lifesignal.conf traefik/lifesignal.yml patroni/patroni.yml patroni/patroni_env.conf \
	prometheus/prometheus.yml prometheus/rules.yml \
	container/compose.yaml kubernetes/lifesignal.yaml \
	grafana/lifesignal.json firestore/firestore.rules firestore/firestore.indexes.json \
	firestore/firebase.json firestore/README.md; do
	place 0644 "$deploy/$file" "$examples/$file"
done
for file in README.md CHANGELOG.md SECURITY.md Docs/*.md; do
	place 0644 "$deploy/../$file" "usr/share/doc/lifesignal/$file"
done
place 0644 "$here/copyright" usr/share/doc/lifesignal/copyright
place 0644 "$here/lintian-overrides" usr/share/lintian/overrides/lifesignal
cat >"$work/changelog" <<END
lifesignal ($version) stable; urgency=medium

  * Built from the commit of $(date -u -R -d "@$moment").

 -- $maintainer  $(date -u -R -d "@$moment")
END
gzip -9n "$work/changelog"
place 0644 "$work/changelog.gz" usr/share/doc/lifesignal/changelog.gz
"$here/manual.py" "$generator" "$program" "$(date -u -d "@$moment" +%F)" >"$work/lifesignal.1"
gzip -9n "$work/lifesignal.1"
place 0644 "$work/lifesignal.1.gz" usr/share/man/man1/lifesignal.1.gz

# The versions that SwiftPM resolved are in the folder of the build.
needed=$(objdump -p "$root/usr/bin/lifesignal" "$libraries"/*.so | awk '/NEEDED/ { print $2 }')
linked=$(ldd "$program" | awk 'NR == FNR { needed[$1]; next } $1 in needed && $3 !~ "/swift/" {
	print $3 }' <(echo "$needed") -)
"$deploy/sbom.py" --version "$build" --packages "${SWIFT_PACKAGES:-$(dirname "$program")/../..}" \
	$linked >"$work/sbom.cdx.json"
place 0644 "$work/sbom.cdx.json" usr/share/doc/lifesignal/sbom.cdx.json

mkdir -p "$root/DEBIAN"
for script in postinst prerm postrm; do
	install -m 0755 "$here/$script" "$root/DEBIAN/$script"
done
echo /etc/lifesignal/lifesignal.env >"$root/DEBIAN/conffiles"
(cd "$root" && find . -type f ! -path './DEBIAN/*' ! -path './etc/*' -printf '%P\0' |
	sort -z | xargs -0 md5sum >DEBIAN/md5sums)

# Lists the packages of the libraries that the program and Swift's runtime are linked with.
printf 'Source: lifesignal\n\nPackage: lifesignal\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info -l"$libraries" \
	-e"$root/usr/bin/lifesignal" $(printf ' -e%s' "$libraries"/*.so) 2>"$work/shlibdeps.log" |
	sed -n 's/^shlibs:Depends=//p')
if [ -z "$depends" ]; then
	cat "$work/shlibdeps.log" >&2
	exit 1
fi
size=$(du -sk --exclude=DEBIAN "$root" | cut -f1)
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@SIZE@/$size/" \
	-e "s/@DEPENDS@/$depends/" -e "s/@MAINTAINER@/$maintainer/" "$here/control" >"$root/DEBIAN/control"

dpkg-deb -Zxz -z1 --root-owner-group --build "$root" \
	"$output/lifesignal_${version}_$architecture.deb" >/dev/null
echo "$output/lifesignal_${version}_$architecture.deb"
