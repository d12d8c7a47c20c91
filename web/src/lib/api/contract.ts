import type { paths } from './schema';

type Method = 'get' | 'post';
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;
/** The data of a success. All other answers are thrown as `ApiError`. */
type Answer<O> = O extends { responses: { 200: { content: { 'application/json': infer Envelope } } } }
  ? Extract<Envelope, { code: 200 }> extends { data: infer D }
    ? D
    : never
  : never;
type Body<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : Record<string, never>;
type Query<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : Record<string, never>;

export type GetPath = PathWith<'get'>;
export type PostPath = PathWith<'post'>;
export type GetAnswer<P extends GetPath> = Answer<Operation<P, 'get'>>;
export type PostAnswer<P extends PostPath> = Answer<Operation<P, 'post'>>;
export type GetQuery<P extends GetPath> = Query<Operation<P, 'get'>>;
export type PostBody<P extends PostPath> = Body<Operation<P, 'post'>>;
