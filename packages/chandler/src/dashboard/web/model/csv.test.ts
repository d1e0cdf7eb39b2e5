import { expect, test } from 'vitest';
import { toCsv, toJson } from './csv.ts';

test('a table becomes CSV: quotes, line breaks, and no formulas', () => {
  const table = {
    columns: ['name', 'text', 'price'],
    rows: [
      ['a,b', 'say "hi"\nthere', 0.5],
      ['=HYPERLINK("x")', '+1', null],
      ['-x', '@y', -2],
    ],
  };
  expect(toCsv(table)).toBe(
    'name,text,price\r\n"a,b","say ""hi""\nthere",0.5\r\n"\'=HYPERLINK(""x"")",\'+1,\r\n\'-x,\'@y,-2\r\n',
  );
  expect(JSON.parse(toJson(table))[1]).toEqual({ name: '=HYPERLINK("x")', text: '+1', price: null });
});
