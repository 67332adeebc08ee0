/** Journal of an agent in a folder, for Node. It keeps reports that the server has not yet. */

import { mkdirSync } from 'node:fs';
import { open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Journal } from './agent.js';
import type { ResultReport } from './api.js';

/** Folder with one file for each effect that was performed and is not reported yet. */
export class FileJournal implements Journal {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  async get(effect: string): Promise<ResultReport | undefined> {
    try {
      return JSON.parse(await readFile(this.file(effect), 'utf8')) as ResultReport;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Keeps a report. It is on disk when this returns. */
  async put(effect: string, report: ResultReport): Promise<void> {
    const file = this.file(effect);
    const written = await open(`${file}.new`, 'w');
    try {
      await written.writeFile(JSON.stringify(report));
      await written.sync();
    } finally {
      await written.close();
    }
    await rename(`${file}.new`, file);
    await this.syncFolder();
  }

  async effects(): Promise<string[]> {
    const files = await readdir(this.folder);
    return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length)).sort();
  }

  async remove(effect: string): Promise<void> {
    await rm(this.file(effect), { force: true });
  }

  private file(effect: string): string {
    if (!/^\w+$/.test(effect)) throw new Error(`'${effect}' is no id of an effect`);
    return join(this.folder, `${effect}.json`);
  }

  /** Makes a file's name durable, where folders can be synced. */
  private async syncFolder(): Promise<void> {
    if (process.platform === 'win32') return;
    const folder = await open(this.folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}
