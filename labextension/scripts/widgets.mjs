// Bundles the front end of the widgets into the one module that Python ships.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const path = name => fileURLToPath(new URL(name, root));

await build({
  entryPoints: [path('src/widgets/index.ts')],
  outfile: path('../jupyter_npcompile/widgets/static/widgets.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  loader: { '.css': 'text' }
});
