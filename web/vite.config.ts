import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';
import { createAdapter } from './adapter.ts';
import { findFirstPages } from './first-pages.ts';
import { collectPackages } from './licenses.ts';

/** Drafts are for the pages with long forms, and not for those that visitors see first. */
const isSmallModule = /\/svelte\/|\/@sveltejs\/|web\/src\/lib\/(?!forms\/drafts\/|messages\/each\/draft_)/;

const firstPages = findFirstPages();

export default defineConfig({
  plugins: [
    collectPackages(),
    firstPages.plugin,
    sveltekit({
      adapter: createAdapter('build'),
      // Elements repeat the names of their styles, which are as short as is safe.
      compilerOptions: { cssHash: ({ hash, css }) => `s${hash(css)}` },
      csp: {
        // Cached pages are sent to many visitors, so a nonce would be the same for all of them.
        mode: 'hash',
        directives: {
          'default-src': ['none'],
          'script-src': ['self'],
          'style-src': ['self'],
          // The element in which SvelteKit announces navigations has a fixed style attribute.
          'style-src-attr': ['unsafe-hashes', 'sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo='],
          'img-src': ['self', 'data:', 'blob:'],
          'font-src': ['self'],
          'connect-src': ['self'],
          'worker-src': ['self'],
          'manifest-src': ['self'],
          // Mails, of which admins see a preview. Other pages allow no frames around them.
          'frame-src': ['self'],
          'form-action': ['self'],
          'base-uri': ['none'],
          'frame-ancestors': ['none'],
        },
      },
      // The server itself refuses forms of other sites (src/http/same-origin.ts).
      csrf: { trustedOrigins: ['*'] },
      // A file of styles delays the page by a request, whose headers are longer than small styles.
      inlineStyleThreshold: 4_096,
      paths: { relative: false },
      // The same sources give the same files on every server.
      version: { name: process.env.WEB_VERSION ?? 'development', pollInterval: 0 },
    }),
  ],
  worker: { plugins: () => [collectPackages()] },
  // The built server imports no package, so that the pages need none to run.
  ssr: { noExternal: true },
  build: {
    target: 'es2022',
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Most messages and icons are a hundred bytes. As files of their own, a page would load fifty of them.
          groups: [
            // With all that it imports: every page loads it.
            { name: 'layout', priority: 3, test: /web\/src\/routes\/\+layout\.svelte$/ },
            // Of the pages that visitors see first, each has one file of what other pages share with it.
            { name: 'first', priority: 2, minShareCount: 2, test: firstPages.isOfBoth },
            { name: 'event', priority: 1, minShareCount: 2, test: firstPages.isOfEvent },
            { name: 'front', priority: 1, minShareCount: 2, test: firstPages.isOfFront },
            { name: 'shared', minShareCount: 6, test: isSmallModule },
          ],
        },
      },
    },
  },
});
