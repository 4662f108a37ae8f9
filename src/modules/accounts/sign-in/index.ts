import { defineModule } from '../../../http/define-module.ts';
import type { AccountServices } from '../services.ts';
import { readLink } from './read-link.ts';
import { requestCode, requestMailCode } from './request-code.ts';
import { signInByMail, signIn as signInByPhone } from './sign-in.ts';
import { signInBrowser, signInBrowserByMail, signInByLink } from './sign-in-browser.ts';

/** Signing in with a code or the link of a mail, which finds or creates the account. */
export const signIn = defineModule<AccountServices>({
  tag: 'Sign in',
  endpoints: {
    requestCode,
    signIn: signInByPhone,
    signInBrowser,
    requestMailCode,
    signInByMail,
    signInBrowserByMail,
    signInByLink,
    readLink,
  },
});
