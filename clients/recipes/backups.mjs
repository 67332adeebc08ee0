// The system that the agents of the recipes act on, as a stand-in for yours: it keeps backups, and it knows keys.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What was deleted, a line for each act: its key, and how old the backups were. */
const DELETED = 'deleted.txt';

/** Lists the backups. */
export async function listed() {
  return 'Monday (40 days old), Tuesday (2 days old)';
}

/** Deletes old backups. The same key is the same act: repeated, it does nothing more and says the same. */
export async function deleted(olderThanDays, key) {
  const done = existsSync(DELETED) ? readFileSync(DELETED, 'utf8').split('\n') : [];
  if (!done.some((line) => line.startsWith(`${key} `))) appendFileSync(DELETED, `${key} ${olderThanDays}\n`);
  return `the backups older than ${olderThanDays} days are deleted`;
}
