/** Wraps lines at the width of a terminal. Continued lines are indented under the text that they continue. */

/** Colours of our own take no room. */
const ESCAPE = '\\u001b';
const COLOR = new RegExp(`${ESCAPE}\\[\\d+m`, 'g');

/** Narrower terminals are left to wrap by themselves. */
const MIN_WIDTH = 40;

/** `  seen     `, `  fix      `. */
const LABELED = /^ {2}(?:seen|fix|suspicious|broken) +/;

/** Commands stay on one line, so that they can be copied: the first, and those below it. */
const COMMAND = /^ {2}confirm /;
const BELOW = /^ {11}\S/;

export function wrapped(text: string, width: number | undefined): string {
  if (width === undefined || width < MIN_WIDTH) return text;
  let isCommand = false;
  return text
    .split('\n')
    .flatMap((line) => {
      isCommand = COMMAND.test(line) || (isCommand && BELOW.test(line));
      return isCommand ? [line] : wrappedLine(line, width);
    })
    .join('\n');
}

// ---------------------------------------------------------------------------------------------------

function wrappedLine(line: string, width: number): readonly string[] {
  if (visible(line) <= width) return [line];
  const start = /^ */.exec(line)![0];
  const labeled = LABELED.exec(line)?.[0].length;
  const indent = ' '.repeat(Math.min(labeled ?? start.length + (start.length > 10 ? 0 : 2), width / 2));
  const lines: string[] = [];
  let current = start;
  let isEmpty = true;
  for (const word of line.slice(start.length).split(/(?<= )(?=\S)/)) {
    if (!isEmpty && visible(current) + visible(word.trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = indent;
    }
    current += word;
    isEmpty = false;
  }
  return [...lines, current.trimEnd()];
}

function visible(text: string): number {
  return text.replace(COLOR, '').length;
}
