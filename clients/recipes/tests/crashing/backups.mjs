// The recipes' backups, which tell the tests before and after each of their acts: they may end the process there.
import * as real from './real_backups.mjs';

async function reached(step) {
  await fetch(`${process.env.RECIPE_STEPS}/step/${step}`);
}

export async function listed() {
  await reached('listed/before');
  const said = await real.listed();
  await reached('listed/after');
  return said;
}

export async function deleted(olderThanDays, key) {
  await reached('deleted/before');
  const said = await real.deleted(olderThanDays, key);
  await reached('deleted/after');
  return said;
}
