// Writes down which sources the built bundle was made from.
//
// The bundle is committed, so that installing needs no Node;
// tests/project/test_layout.py computes the same digests and fails when a source or
// the bundle has changed since this ran.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, '../jupyter_npcompile/labextension');
const stamp = 'digests.json';

/** All files at or below `path`, relative to `base`, with `/` between parts. */
function filesBelow(base, path = '') {
  const full = join(base, path);
  if (!statSync(full).isDirectory()) {
    return [path];
  }
  return readdirSync(full).flatMap(name =>
    filesBelow(base, path === '' ? name : `${path}/${name}`)
  );
}

function digest(base, paths) {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) {
    hash.update(`${path}\0`).update(readFileSync(join(base, path)));
    hash.update('\0');
  }
  return hash.digest('hex');
}

const widgets = join(root, '../jupyter_npcompile/widgets/static');
const inputs = [
  'package.json',
  'yarn.lock',
  'tsconfig.json',
  'src',
  'style',
  'schema'
];
const sources = inputs
  .flatMap(path => filesBelow(root, path))
  .filter(path => !path.endsWith('.spec.ts'));
const built = filesBelow(bundle).filter(path => path !== stamp);

const digests = {
  sources: digest(root, sources),
  bundle: digest(bundle, built),
  widgets: digest(widgets, filesBelow(widgets))
};
writeFileSync(join(bundle, stamp), `${JSON.stringify(digests, null, 2)}\n`);
