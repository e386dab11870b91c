// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
use crate::raw::{Message, Text};
use crate::{Gcm, Result, TAG_LEN};

macro_rules! message {
    ($(#[$doc:meta])* $name:ident, $make:ident, $all:ident, $tag:ty) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<'a>(Message<'a>);

        impl<'a> $name<'a> {
            /// A message where its text is. Of `tag` as many bytes count as the key has.
            pub fn in_place(key: &'a Gcm, nonce: &'a [u8], aad: &'a [u8], text: &'a mut [u8], tag: $tag) -> Self {
                $name(Message::$make(&key.0, nonce, aad, Text::in_place(text), tag))
            }

            /// A message from `input` to `output`, which has the same length, else
            /// [`Error::Length`](crate::Error::Length).
            pub fn between(
                key: &'a Gcm,
                nonce: &'a [u8],
                aad: &'a [u8],
                input: &'a [u8],
                output: &'a mut [u8],
                tag: $tag,
            ) -> Result<Self> {
                Ok($name(Message::$make(&key.0, nonce, aad, Text::between(input, output)?, tag)))
            }

            /// How it went; [`Error::State`](crate::Error::State) before the batch was done.
            pub fn result(&self) -> Result<()> {
                self.0.result()
            }

            /// Does all messages, in any order, each with its key and nonce. Returns how many failed; a bad message does
            /// not stop the others, and [`result`](Self::result) says which it was.
            ///
            /// A message that was done is not done again: [`Error::State`](crate::Error::State), and nothing is
            /// done. In place its text is another one by then, so that a nonce would come twice, or the text be lost.
            pub fn batch(messages: &mut [$name<'a>]) -> Result<usize> {
                Message::$all(crate::raw::messages(messages))
            }
        }

        impl<'a> crate::raw::IsMessage<'a> for $name<'a> {}
    };
}

message!(
    /// A message to encrypt, one of a batch.
    ///
    /// ```
    /// use rijn::{Gcm, Open, Seal};
    /// let key = Gcm::new(&[7; 16])?;
    /// let (mut one, mut two, mut tags) = (*b"first", *b"and the second", [[0; 16]; 2]);
    /// let [tag1, tag2] = &mut tags;
    /// let mut batch =
    ///     [Seal::in_place(&key, &[1; 12], b"", &mut one, tag1), Seal::in_place(&key, &[2; 12], b"", &mut two, tag2)];
    /// assert_eq!(Seal::batch(&mut batch)?, 0);
    /// let mut batch =
    ///     [Open::in_place(&key, &[1; 12], b"", &mut one, &tags[0]), Open::in_place(&key, &[2; 12], b"", &mut two, &[0; 16])];
    /// assert_eq!(Open::batch(&mut batch)?, 1);
    /// assert_eq!(batch[1].result(), Err(rijn::Error::Unauthentic));
    /// assert_eq!((&one, two), (b"first", [0; 14]));
    /// # Ok::<(), rijn::Error>(())
    /// ```
    Seal, to_seal, seal_all, &'a mut [u8; TAG_LEN]
);
message!(
    /// A message to decrypt, one of a batch. Text of a message that is not authentic is all zeros after it.
    Open, to_open, open_all, &'a [u8; TAG_LEN]
);
