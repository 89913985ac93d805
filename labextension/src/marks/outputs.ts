/** A code cell's saved outputs as a source of marks. */
import type { IOutputAreaModel } from '@jupyterlab/outputarea';

import { MIME_TYPE, readReport } from '../report.js';
import type { IMarkSource } from './editor.js';
import { type IMark, marksOf } from './marks.js';

/**
 * Marks of the report in the outputs of a cell.
 *
 * Outputs belong to their cell, are cleared when it runs again, are saved with
 * the notebook and need no kernel: so do the marks.
 */
export class OutputMarks implements IMarkSource {
  /**
   * The outputs are held here because the cell model lets go of them before
   * its editor is destroyed.
   */
  constructor(private readonly outputs: OutputList) {}

  read(): readonly IMark[] {
    const payload = this.payload();
    // Every printed line changes the outputs, the report hardly ever does.
    if (payload !== this.lastPayload) {
      this.lastPayload = payload;
      const report = readReport(payload);
      this.lastMarks = report === null ? [] : marksOf(report);
      this.lastSource = report?.source ?? '';
    }
    return this.lastMarks;
  }

  /** The text of the cell when it ran; empty when that is not known. */
  source(): string {
    this.read();
    return this.lastSource;
  }

  subscribe(listener: () => void): () => void {
    const slot = (): void => {
      listener();
    };
    this.outputs.changed.connect(slot);
    return () => {
      this.outputs.changed.disconnect(slot);
    };
  }

  private payload(): unknown {
    for (let i = this.outputs.length - 1; i >= 0; i -= 1) {
      const payload: unknown = this.outputs.get(i).data[MIME_TYPE];
      if (payload !== undefined) {
        return payload;
      }
    }
    return undefined;
  }

  private lastPayload: unknown = undefined;
  private lastMarks: readonly IMark[] = [];
  private lastSource = '';
}

/** What is used of a cell's outputs. */
type OutputList = Pick<IOutputAreaModel, 'length' | 'get' | 'changed'>;
