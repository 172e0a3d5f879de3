#!/bin/bash
# Reverts one fix at a time in a copy of the program, and checks that the simulation finds the
# defect. Each file Defects/*.patch reverts a fix. Two lines precede the patch:
#   Invariant: the name of the invariant that must break
#   Arguments: the arguments of `simulate`
# The arguments name the patches to run; the default is all. Fails if a patch does not apply or a
# defect is not found. The build stays in .build-defects, so that the next run only builds changes.
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$root/.build-defects
copy=$work/copy
rm -rf "$copy"
mkdir -p "$copy" "$work/build"
# Keeps the files' times, so that the build recognises unchanged files.
cp -rp "$root"/{Package.swift,Sources,Tests,Benchmarks} "$copy"
# Reuses the packages in .build instead of fetching them.
for part in artifacts checkouts prebuilts repositories; do
    [ -e "$work/build/$part" ] || cp -rp "$root/.build/$part" "$work/build" 2>/dev/null
done
patches=("$root"/Tests/Support/Simulation/Defects/*.patch)
[ $# -eq 0 ] || patches=("${@/#/$root/Tests/Support/Simulation/Defects/}")
[ $# -eq 0 ] || patches=("${patches[@]/%/.patch}")
missed=0
for patch in "${patches[@]}"; do
    [ -e "$patch" ] || { echo "There is no patch $patch."; exit 1; }
    name=$(basename "$patch" .patch)
    invariant=$(sed -n 's/^Invariant: //p' "$patch")
    arguments=$(sed -n 's/^Arguments: //p' "$patch")
    if ! patch -d "$copy" -p1 --quiet --force --dry-run <"$patch" >/dev/null; then
        echo "$name: the patch does not apply"
        missed=1
        continue
    fi
    patch -d "$copy" -p1 --quiet --force <"$patch"
    log=$work/$name.log
    if ! swift build --package-path "$copy" --scratch-path "$work/build" \
        --product simulate >"$work/build.log" 2>&1; then
        echo "$name: does not build; see .build-defects/build.log"
        missed=1
    elif "$work"/build/debug/simulate --only "$invariant" $arguments >"$log" 2>&1; then
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
