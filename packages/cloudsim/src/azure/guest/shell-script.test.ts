import { describe, expect, test } from 'vitest';
import { readScript } from './shell-script.ts';

const environmentOf = (script: string) => readScript(script, 'run-me').started;
const read = (script: string) => environmentOf(`set -a\n${script}\nrun-me`)?.get('A');

describe('the variables of a script', () => {
  test.each([
    ['a bare word', 'A=b.c/d:e=f', 'b.c/d:e=f'],
    ['nothing', 'A=', ''],
    ['double quotes', 'A="x y  z"', 'x y  z'],
    ['escapes inside double quotes', String.raw`A="a\"b\$c\\d\`e\f"`, 'a"b$c\\d`e\\f'],
    ['single quotes', String.raw`A='a"$b\'`, 'a"$b\\'],
    ['a quote inside single quotes', String.raw`A='it'\''s'`, "it's"],
    ['escapes without quotes', String.raw`A=a\ b\;c`, 'a b;c'],
    ['pieces side by side', `A=a'b'"c"d`, 'abcd'],
    ['ansi quotes', String.raw`A=$'a\nb\'c'`, "a\nb'c"],
    ['a value over lines', 'A="a\nb"', 'a\nb'],
    ['a line that goes on', 'A=a\\\nb', 'ab'],
    ['another variable', `B=x\nA="<$B>\${B}\${C:-y}"`, '<x>xy'],
    ['more of the same', 'A=a\nA+=b', 'ab'],
    ['the last of two', 'A=a\nA=b', 'b'],
    ['a comment', 'A=a # =b', 'a'],
    ['a hash in the word', 'A=a#b', 'a#b'],
    ['several on a line', 'B=x A=y; C=z', 'y'],
    ['an operator without blanks', 'A=a;B=b', 'a'],
    ['what only a shell could know', 'A="<$(hostname; echo ")")>"', '<>'],
    ['declare -x', 'declare -x A=1', '1'],
  ])('%s', (_, script, value) => {
    expect(read(script)).toBe(value);
  });

  test.each([
    ['was not exported', 'A=b\nrun-me', undefined],
    ['was exported before', 'export A\nA=b\nexport A\nrun-me', 'b'],
    ['is before the command', 'A=b /usr/bin/nohup /bin/bash -c "/bin/bash /x/run-me"', 'b'],
    ['stood before another command', 'A=b true\nrun-me', undefined],
    ['was unset', 'export A=b\nunset A\nrun-me', undefined],
    ['is in a condition', 'set -a\nif true; then A=b; fi\nrun-me', undefined],
    ['is in a loop', 'set -a\nfor i in 1 2; do A=b; done\nrun-me', undefined],
    ['is in a heredoc', 'set -a\ncat > /f <<EOF\nA=b\nEOF\nrun-me', undefined],
    ['comes after the end of allexport', 'set -o allexport\nset +o allexport\nA=b\nrun-me', undefined],
  ])('a variable that %s', (_, script, value) => {
    expect(environmentOf(script)?.get('A')).toBe(value);
  });

  test.each([
    ['nothing starts', 'A=b'],
    ['only a condition starts', 'if x; then run-me; fi'],
    ['comes after exit', 'exit 3\nrun-me'],
    ['is only mentioned', '# run-me\n'],
  ])('a program that %s is not started', (_, script) => {
    expect(environmentOf(script)).toBeUndefined();
  });

  test('an unterminated quote ends the parsing where it began', () => {
    const { problem, started } = readScript('A=b\nB="c\nrun-me\n', 'run-me');
    expect(started).toBeUndefined();
    expect(problem).toEqual({ line: 2, message: 'unexpected EOF while looking for matching `"\'' });
  });

  test('a value that breaks out of its quotes is reported as a command', () => {
    const { commands } = readScript('A="x"; reboot; B="y"', 'run-me');
    expect(commands.map(({ words }) => words)).toEqual([['reboot']]);
  });
});
