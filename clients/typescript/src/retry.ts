/** Repeating of calls: how long, and with which pauses. */

/** Pauses before repetitions, in seconds: the first, doubling up to the longest. */
const FIRST = 0.1;
const LONGEST = 5;

/** Time that a call may take with its repetitions, in seconds. */
export class Patience {
  private until: number;
  private tried = 0;

  constructor(
    private readonly limit: number,
    now: number,
  ) {
    this.until = now + limit;
  }

  /**
   * Returns how long to pause before the next try, or nothing if that would be too long. `asked` is what the server asked
   * for. Otherwise the pauses double, and part of each is by chance, so that many clients do not come back in one moment.
   */
  pause(now: number, asked?: number): number | undefined {
    this.tried += 1;
    const grown = Math.min(LONGEST, FIRST * 2 ** Math.min(this.tried - 1, 10));
    const pause = asked ?? grown * (0.5 + Math.random() / 2);
    return now + pause <= this.until ? pause : undefined;
  }

  /** Begins anew, after something arrived. */
  renew(now: number): void {
    this.until = now + this.limit;
    this.tried = 0;
  }
}

/** Reads `Retry-After`, seconds or a date, as seconds from `now`, which is Unix time. Nothing if it is neither. */
export function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value);
  const date = /^[A-Za-z]{3}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date / 1000 - now);
}
