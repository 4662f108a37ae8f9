import type { Client, Features, Me, Suspension } from '@potluck/client';
import type { Language } from '#lib/language/languages.ts';

declare global {
  namespace App {
    interface Platform {
      /**
       * Reads JSON from the API of this server, for the visitor of the page. `path`: such as `/v1/events/{id}`.
       * @param cookie the header; null without cookies
       */
      readApi(
        read: {
          path: string;
          params?: Record<string, unknown>;
          query?: Record<string, unknown>;
          headers?: Record<string, string>;
        },
        cookie: string | null,
      ): Promise<{
        status: number;
        headers: Record<string, string | number | string[]>;
        json: string | Uint8Array;
      }>;
      /** Sends a request to the API of this server, for the visitor of the page: a change, or the read of a file. */
      fetchApi(request: Request): Promise<Response>;
      /** Maps values one after another, in as many turns of the event loop as it takes. */
      mapInTurns<T, R>(values: Iterable<T>, map: (value: T) => R): Promise<R[]>;
      /** Finds the town that an address names, without looking whether there is one; empty if it names none. */
      townIn(address: string): Promise<string>;
      /** Finds the preview of an event by its version, or draws it; null if the server is too busy. */
      drawPreview(version: string, read: () => Promise<Preview>): Promise<Buffer<ArrayBuffer> | null>;
      /** The name of the cookie of a session, and the `Set-Cookie` header that removes it. */
      sessionCookie: { name: string; cleared: string };
      /** The name of the cookie with the token of a guest of the event. */
      guestCookieName(eventId: string): string;
      /** The accounts of the demonstration; empty if the server has none. */
      demoAccounts: { who: string; phone: string }[];
      /**
       * The settings of the instance as they are now. `signInWays`: the visitor's last one first. `oidcName`: what the OpenID
       * Connect provider is called; null if people do not sign in there. `contact`: the target of a link; null for none.
       * `language`: that of visitors who ask for none that pages have.
       */
      findSettings(): Promise<{
        signInWays: Features['signIn'];
        oidcName: string | null;
        contact: string | null;
        language: Language;
      }>;
      /** The address of the streets of the map; null for a map without streets. */
      mapTiles: string | null;
      /** How the form of an event finds streets. */
      streetSearch: 'none' | 'button' | 'typing';
      /** The files of the maps on the disk of this server. `streets`: null without a file of the operator. */
      mapPaths: { base: string; streets: string | null };
      isProduction: boolean;
      /** The country of the server's phone numbers, such as `SE`; null if the operator has not set one. */
      defaultCountry: string | null;
      requestId: string;
      /** Logs an error that is a defect of the server. */
      reportError(error: unknown): void;
    }
    /** What the preview of an event shows. */
    interface Preview {
      title: string;
      lines: string[];
      /** The uploaded image, or what the drawn cover depends on. */
      cover: Buffer | { id: string; category: string; theme: string | null };
      /** The part of the image that stays visible, such as `left top`. */
      focus: string;
      isRightToLeft: boolean;
    }
    interface Locals {
      /** The API, called for the visitor of the page. */
      api: Client;
      /** The person who is signed in. */
      me: Me | null;
      /** `ended`: the browser has a session that was ended elsewhere, or that has expired. `suspended`: a limited session. */
      session: 'none' | 'active' | 'ended' | 'endedBySuspension' | 'suspended';
      /** The suspension of the visitor's account; null if it is not suspended. */
      suspension: Suspension | null;
      /** An address on another server that the page may load from. */
      foreignSource?: string;
    }
    interface Error {
      /** The code of the API's problem. */
      code?: string;
      /** The id of the request in the log. */
      requestId?: string;
    }
  }
}
