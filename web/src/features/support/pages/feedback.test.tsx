import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { pictureFile, uploadedFile } from '@/test/fixtures-account';
import { server } from '@/test/server';

const FEEDBACK = '*/api/feedback';
const UPLOAD = '*/api/files/upload';

async function openForm() {
  const app = openApp('/ad-center/feedback');
  const topic = await screen.findByLabelText('Topic');
  return { ...app, topic, content: screen.getByLabelText('Content') };
}

test('feedback goes with its pictures, once, and says that it arrived', async () => {
  const sent: { key: string | null; body: unknown }[] = [];
  server.use(
    http.post(FEEDBACK, async ({ request }) => {
      sent.push({ key: request.headers.get('Idempotency-Key'), body: await request.json() });
      await delay(50);
      return ok({ id: 'feedback-1' });
    }),
  );
  const { user, topic, content } = await openForm();
  await user.type(topic, 'Delivery');
  await user.type(content, 'No clicks since noon.');
  expect(screen.getByText('21 / 5,000')).toBeVisible();
  await user.upload(screen.getByLabelText('Add picture'), pictureFile());
  expect(await screen.findByText('Uploaded')).toBeVisible();
  await user.dblClick(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText('Submitted successfully')).toBeVisible();
  expect(sent).toEqual([
    {
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      body: { topic: 'Delivery', content: 'No clicks since noon.', images: ['file-1'] },
    },
  ]);
  await user.click(screen.getByRole('button', { name: 'Send another message' }));
  expect(await screen.findByLabelText('Topic')).toHaveValue('');
});

test('both texts are required, and the first that is missing gets the focus', async () => {
  const { user, topic, content } = await openForm();
  await user.click(screen.getByRole('button', { name: 'Submit' }));
  expect(topic).toHaveFocus();
  expect(topic).toHaveAccessibleDescription('Topic cannot be empty');
  expect(content).toHaveAccessibleDescription(/^Content cannot be empty/);
});

test('a refusal is shown at its field, any other above the form', async () => {
  let answer = refusal(400, 'Too many words', { reason: 'VALIDATION', field: 'content' });
  server.use(http.post(FEEDBACK, () => answer));
  const { user, topic, content } = await openForm();
  await user.type(topic, 'Delivery');
  await user.type(content, 'Text');
  await user.click(screen.getByRole('button', { name: 'Submit' }));
  await waitFor(() => expect(content).toHaveAccessibleDescription(/^Too many words/));
  answer = refusal(500, 'Server error', { reason: 'INTERNAL' });
  await user.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText('Server error')).toBeVisible();
  expect(topic).toHaveValue('Delivery');
});

test('what is no picture or too large is refused before it is sent', async () => {
  let uploads = 0;
  server.use(
    http.post(UPLOAD, () => {
      uploads += 1;
      return ok(uploadedFile());
    }),
  );
  const { user, topic, content } = await openForm();
  const input = screen.getByLabelText('Add picture');
  await user.upload(input, new File(['plain text'], 'fake.png', { type: 'image/png' }));
  expect(await screen.findByText('Please select an image file')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Retry upload of fake.png' })).not.toBeInTheDocument();
  await user.upload(input, pictureFile('large.png', 5 * 1024 * 1024 + 1));
  expect(await screen.findByText('Image size over 5MB')).toBeVisible();
  await user.type(topic, 'Delivery');
  await user.type(content, 'Text');
  await user.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText('Please retry or remove the pictures that were not uploaded')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Remove fake.png' }));
  await user.click(screen.getByRole('button', { name: 'Remove large.png' }));
  await user.click(screen.getByRole('button', { name: 'Submit' }));
  expect(await screen.findByText('Submitted successfully')).toBeVisible();
  expect(uploads).toBe(0);
});

test('the checks of the server and of the edge say the same', async () => {
  let answer: () => Response = () => refusal(400, 'no', { reason: 'FILE_NOT_IMAGE', field: 'file' });
  server.use(http.post(UPLOAD, () => answer()));
  const { user } = await openForm();
  await user.upload(screen.getByLabelText('Add picture'), pictureFile());
  expect(await screen.findByText('Please select an image file')).toBeVisible();
  answer = () =>
    HttpResponse.json({ code: 400, msg: 'no', data: { reason: 'FILE_TOO_LARGE' } }, { status: 413 });
  await user.upload(screen.getByLabelText('Add picture'), pictureFile('two.png'));
  expect(await screen.findByText('Image size over 5MB')).toBeVisible();
});

test('an upload without an answer is tried again, one on its way is given up', async () => {
  let answer: () => Response | Promise<Response> = () => HttpResponse.error();
  server.use(http.post(UPLOAD, () => answer()));
  const { user } = await openForm();
  await user.upload(screen.getByLabelText('Add picture'), pictureFile());
  expect(await screen.findByText(/^No connection to the server/)).toBeVisible();
  answer = async () => {
    await delay('infinite');
    return ok(uploadedFile());
  };
  await user.click(screen.getByRole('button', { name: 'Retry upload of screen.png' }));
  expect(await screen.findByRole('progressbar', { name: 'Uploading screen.png' })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Cancel upload of screen.png' }));
  await waitFor(() => expect(screen.queryByText('screen.png')).not.toBeInTheDocument());
});

test('three pictures are the most', async () => {
  const { user } = await openForm();
  const pictures = ['a.png', 'b.png', 'c.png', 'd.png'].map((name) => pictureFile(name));
  await user.upload(screen.getByLabelText('Add picture'), pictures);
  const group = screen.getByRole('group', { name: /^Pictures/ });
  await waitFor(() => expect(within(group).getAllByText('Uploaded')).toHaveLength(3));
  expect(screen.queryByLabelText('Add picture')).not.toBeInTheDocument();
  expect(screen.queryByText('d.png')).not.toBeInTheDocument();
});

test('text and pictures outlive a session that expires and a reload', async () => {
  server.use(http.post(FEEDBACK, () => refusal(503, 'Expired', { reason: 'SESSION_EXPIRED' })));
  const { user, topic, content, unmount } = await openForm();
  await user.type(topic, 'Delivery');
  await user.type(content, 'No clicks');
  await user.upload(screen.getByLabelText('Add picture'), pictureFile());
  await screen.findByText('Uploaded');
  await user.click(screen.getByRole('button', { name: 'Submit' }));
  await user.click(await screen.findByRole('button', { name: 'Log in again' }));
  await user.type(await screen.findByLabelText('Username'), 'demo');
  await user.type(screen.getByLabelText('Password'), 'adfolio-demo-1');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  expect(await screen.findByLabelText('Topic')).toHaveValue('Delivery');
  unmount();
  const again = await openForm();
  expect(again.content).toHaveValue('No clicks');
  expect(screen.getByText('Picture 1')).toBeVisible();
});
