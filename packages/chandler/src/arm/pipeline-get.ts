/**
 * One GET through the pipeline of an SDK client: the SDK signs it, our HTTP client sends it. For URLs that the SDK has no
 * method for.
 */
import type { HttpClient, Pipeline, PipelineResponse } from '@azure/core-rest-pipeline';
import { toArmError } from './arm-error.ts';

/** @throws {ArmError} when there is no answer. A status other than 200 is an answer. */
export async function getThroughPipeline(
  client: { readonly pipeline: Pipeline },
  httpClient: HttpClient,
  url: string,
  signal?: AbortSignal,
): Promise<PipelineResponse> {
  const { createPipelineRequest } = await import('./lazy/core-rest-pipeline.ts');
  try {
    const request = createPipelineRequest({
      url,
      method: 'GET',
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    return await client.pipeline.sendRequest(httpClient, request);
  } catch (error) {
    throw toArmError(error);
  }
}
