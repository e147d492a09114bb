import de.l3s.boilerpipe.document.TextDocument;
import de.l3s.boilerpipe.extractors.ArticleExtractor;
import de.l3s.boilerpipe.sax.BoilerpipeSAXInput;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import org.xml.sax.InputSource;

/**
 * Reads pages from standard input and writes their articles to standard output.
 *
 * <p>A message consists of the number of strings, followed by the length in bytes and the UTF-8
 * encoding of each string. Numbers are 32-bit big-endian. A request contains the page. A response
 * contains "ok", the title and the text, or "error" and the error.
 */
public final class Boilerpipe {
    private final DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
    private final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));

    public static void main(String[] arguments) throws IOException {
        new Boilerpipe().serve();
    }

    private void serve() throws IOException {
        while (true) {
            String html;
            try {
                html = read()[0];
            } catch (EOFException end) {
                return;
            }
            try {
                InputSource page = new InputSource(new StringReader(html));
                TextDocument document = new BoilerpipeSAXInput(page).getTextDocument();
                ArticleExtractor.INSTANCE.process(document);
                String title = document.getTitle();
                write("ok", title == null ? "" : title, document.getContent());
            } catch (Exception | StackOverflowError error) {
                write("error", error.toString());
            }
        }
    }

    private String[] read() throws IOException {
        String[] strings = new String[in.readInt()];
        for (int i = 0; i < strings.length; i++) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            strings[i] = new String(bytes, StandardCharsets.UTF_8);
        }
        return strings;
    }

    private void write(String... strings) throws IOException {
        out.writeInt(strings.length);
        for (String string : strings) {
            byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
            out.writeInt(bytes.length);
            out.write(bytes);
        }
        out.flush();
    }
}
