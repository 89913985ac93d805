import { lineMarksPlugin } from './marks/plugin.js';

export default [lineMarksPlugin];
