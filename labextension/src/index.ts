import { fixesPlugin } from './fixes/plugin.js';
import { lineMarksPlugin } from './marks/plugin.js';
import { statusPlugin } from './status/plugin.js';

export default [lineMarksPlugin, fixesPlugin, statusPlugin];
