/** Sends a recording as JSON lines, compressed as it is read. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { QuestionError } from '../questions.ts';
import type { RecordingSource } from '../recording/recorder.ts';
import { acceptsGzip, type Exchange, JSON_HEADERS } from './respond.ts';

/** @throws {QuestionError} if there is none. */
export async function sendRecording(
  { request, response }: Exchange,
  recording: RecordingSource | undefined,
): Promise<void> {
  if (recording === undefined) throw new QuestionError(404, 'nothing is recorded here');
  const headers = { ...JSON_HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8' };
  const isCompressed = acceptsGzip(request);
  response.writeHead(
    200,
    isCompressed ? { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' } : headers,
  );
  if (request.method === 'HEAD') return void response.end();
  const lines = Readable.from(recording.lines());
  if (!isCompressed) return pipeline(lines, response);
  const { createGzip } = await import('node:zlib');
  await pipeline(lines, createGzip({ level: 1 }), response);
}
