/** The token of the page in a file: who keeps it there can start the page anew, and pages that are open go on by themselves. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { newToken } from '../../dashboard/index.ts';
import { Failure } from '../verb.ts';

/** What is in the file; a file that does not exist is written. @throws {Failure} */
export async function tokenIn(file: string, random: Parameters<typeof newToken>[0]): Promise<string> {
  const token = newToken(random);
  try {
    await writeFile(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST')
      throw new Failure(
        `the token file ${file} cannot be written (${codeOf(error)}); name another with --token-file`,
      );
  }
  return read(file);
}

// ---------------------------------------------------------------------------------------------------

/** As `newToken` makes them. */
const TOKEN = /^[\w-]{43}$/;

async function read(file: string): Promise<string> {
  let text: string;
  let mode: number;
  try {
    [text, { mode }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
  } catch (error) {
    throw new Failure(
      `the token file ${file} cannot be read (${codeOf(error)}); name another with --token-file`,
    );
  }
  if ((mode & 0o077) !== 0)
    throw new Failure(
      `the token file ${file} can be read by others; delete it, so that it is written anew, or run chmod 600`,
    );
  const token = text.trim();
  if (!TOKEN.test(token))
    throw new Failure(
      `the token file ${file} holds no token of the page; delete it, so that it is written anew`,
    );
  return token;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
