import { describe, expect, test } from 'vitest';
import { afterScreen, CONTINUED, openScreen } from './screen.ts';

const ESCAPE = '\u001b[';

function aTerminal() {
  const written: string[] = [];
  const output = { columns: 40, rows: 10, write: (text: string) => written.push(text) };
  return { written, output, screen: openScreen(output) };
}

describe('the screen', () => {
  test('uses the alternate screen, and restores the terminal when it closes', () => {
    const { written, screen } = aTerminal();
    expect(written.splice(0)).toEqual([`${ESCAPE}?1049h${ESCAPE}?25l`]);
    screen.close();
    screen.close();
    expect(written).toEqual([`${ESCAPE}?25h${ESCAPE}?1049l`]);
  });

  test('a message about a crash is written when the screen is closed, where it stays', () => {
    const { written, screen, output } = aTerminal();
    written.length = 0;
    afterScreen(() => output.write('crashed'));
    expect(written).toEqual([]);
    screen.close();
    expect(written).toEqual([`${ESCAPE}?25h${ESCAPE}?1049l`, 'crashed']);
    afterScreen(() => output.write('again'));
    expect(written.at(-1)).toBe('again');
  });

  test('has the usual size if the terminal reports none', () => {
    const screen = openScreen({ columns: 0, rows: 0, write: () => true });
    expect([screen.columns, screen.rows]).toEqual([80, 24]);
    screen.close();
  });

  test('draws in place in one write, and clears the rest of every line', () => {
    const { written, screen } = aTerminal();
    written.length = 0;
    screen.draw(['one', 'two']);
    expect(written).toEqual([
      `${ESCAPE}?2026h${ESCAPE}Hone${ESCAPE}K\r\ntwo${ESCAPE}K${ESCAPE}J${ESCAPE}?2026l`,
    ]);
    screen.close();
  });

  test('lets the terminal wrap a row that continues, and does not clear the last character of a full row', () => {
    const { written, screen } = aTerminal();
    written.length = 0;
    const full = 'x'.repeat(40);
    screen.draw([`${full}${CONTINUED}`, 'rest', full]);
    expect(written).toEqual([
      `${ESCAPE}?2026h${ESCAPE}H${full}rest${ESCAPE}K\r\n${full}${ESCAPE}J${ESCAPE}?2026l`,
    ]);
    screen.close();
  });

  test('draws nothing when nothing has changed, and redraws when the terminal is resized', () => {
    const { written, output, screen } = aTerminal();
    screen.draw(['one']);
    written.length = 0;
    screen.draw(['one']);
    expect(written).toEqual([]);
    output.columns = 20;
    screen.draw(['one']);
    expect(written).toHaveLength(1);
    screen.close();
    screen.draw(['two']);
    expect(written).toHaveLength(2);
  });
});
