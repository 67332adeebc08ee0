/** Version of this package. It speaks to servers of the same line: the same `0.x`, or the same major version. */
export const VERSION = '0.1.0';

/** Returns the part of a version that has to be equal: `[0, 1]` of `0.1.7`, `[2]` of `2.3.0`, nothing of none. */
export function line(version: string): number[] {
  const found = /^(\d+)\.(\d+)/.exec(version);
  if (!found) return [];
  const [major, minor] = [Number(found[1]), Number(found[2])];
  return major > 0 ? [major] : [major, minor];
}

/** Returns what to tell the user if the server is of another line, else nothing. */
export function mismatch(server: string): string | undefined {
  const [theirs, ours] = [line(server), line(VERSION)];
  if (theirs.join('.') === ours.join('.')) return undefined;
  const differs = theirs.findIndex((number, at) => number !== ours[at]);
  const newer = differs >= 0 && (theirs[differs] ?? 0) > (ours[differs] ?? -1);
  const which = newer
    ? 'upgrade the package @throughline/client'
    : 'upgrade the server, or install an older @throughline/client';
  return `the client is @throughline/client ${VERSION}, the server ${server}: ${which}, so that both are of one line`;
}
