import { clearLine, cursorTo } from 'node:readline';

const width = 40;
/** The time between two drawings, in milliseconds. */
const interval = 100;

export type ProgressBar = {
  increment(count?: number): void;
  /** @param label the text of the placeholder {label} */
  update(value: number, label?: string): void;
  /** Removes the bar from the terminal. */
  [Symbol.dispose](): void;
};

/**
 * Starts a progress bar on stderr. It prints nothing if stderr is not a terminal. `using` removes it.
 * @param format text with the placeholders {bar}, {value}, {total}, {percentage} and {label}
 * @param total the value of a full bar
 */
export function startProgressBar(format: string, total: number): ProgressBar {
  const { stderr } = process;
  let value = 0;
  let label = '';
  const draw = () => {
    const line = formatBar(format, { value, total, label });
    cursorTo(stderr, 0);
    // A line that is wider than the terminal would wrap, and stay.
    stderr.write(line.slice(0, stderr.columns - 1));
    clearLine(stderr, 1);
  };
  const timer = stderr.isTTY ? setInterval(draw, interval) : undefined;
  return {
    increment(count = 1) {
      value += count;
    },
    update(newValue, newLabel = '') {
      value = newValue;
      label = newLabel;
    },
    [Symbol.dispose]() {
      if (!timer) return;
      clearInterval(timer);
      cursorTo(stderr, 0);
      clearLine(stderr, 0);
    },
  };
}

/** Returns the line of a progress bar. A value above the total, which can be an estimate, is a full bar. */
export function formatBar(format: string, values: { value: number; total: number; label: string }): string {
  const { value, total } = values;
  const share = total > 0 ? Math.min(value / total, 1) : 1;
  const bar = '■'.repeat(Math.floor(share * width)).padEnd(width);
  const texts: Record<string, string | number> = { ...values, bar, percentage: Math.floor(share * 100) };
  return `  ${format.replace(/\{(\w+)\}/g, (placeholder, name) => `${texts[name] ?? placeholder}`)}`;
}
