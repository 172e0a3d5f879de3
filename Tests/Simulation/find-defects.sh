#!/bin/bash
# Takes one fix after the other out of a copy of the program and lets the simulation look for the
# defect that comes back. Each file Defects/*.patch is such a change, with two lines before it:
#   Invariant: the name of the invariant that has to break
#   Arguments: what `simulate` is started with
# Fails when a patch does not apply, or when nothing is found.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$root/.build-defects/copy
rm -rf "$copy"
mkdir -p "$copy"
cp -rp "$root"/{Package.swift,Sources,Tests,Benchmarks} "$copy"
missed=0
for patch in "$root"/Tests/Simulation/Defects/*.patch; do
    [ -e "$patch" ] || { echo "There are no patches in Tests/Simulation/Defects."; exit 1; }
    name=$(basename "$patch" .patch)
    invariant=$(sed -n 's/^Invariant: //p' "$patch")
    arguments=$(sed -n 's/^Arguments: //p' "$patch")
    if ! patch -d "$copy" -p1 --quiet --force --dry-run <"$patch" >/dev/null; then
        echo "$name: the patch does not apply"
        missed=1
        continue
    fi
    patch -d "$copy" -p1 --quiet --force <"$patch"
    log=$root/.build-defects/$name.log
    if ! swift build --package-path "$copy" --scratch-path "$root/.build-defects/build" \
        --product simulate >"$root/.build-defects/build.log" 2>&1; then
        echo "$name: does not build; see .build-defects/build.log"
        missed=1
    elif "$root"/.build-defects/build/debug/simulate --only "$invariant" $arguments >"$log" 2>&1; then
        echo "$name: NOT found"
        missed=1
    elif grep -q "breaks \"$invariant\"" "$log"; then
        echo "$name: found. $(grep -A1 "breaks \"$invariant\"" "$log" | tail -1)"
    else
        echo "$name: the simulation failed for another reason; see $log"
        missed=1
    fi
    patch -d "$copy" -p1 --quiet --force -R <"$patch"
done
exit $missed
